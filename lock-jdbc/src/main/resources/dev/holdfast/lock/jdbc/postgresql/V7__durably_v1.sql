-- Sees to it that the transaction is on the disk, and with synchronous standbys on theirs, when it is answered, whatever the
-- role's settings say.
CREATE OR REPLACE FUNCTION holdfast_durably_v1()
RETURNS void
LANGUAGE plpgsql
VOLATILE
AS $$
BEGIN
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END
$$;
