-- Removes rows of locks that nobody used for a while, and ids whose time is over: in_most of each, and tells how many of
-- either at most there were.
--
-- Promises: waits for nobody and holds up nobody for long; the floor rises in the same transaction, so that whoever makes a
-- removed row anew, which takes until this transaction is over, reads a floor above every token that the row had.
CREATE OR REPLACE FUNCTION holdfast_prune_v1(
    in_idle bigint, -- microseconds
    in_most integer
)
RETURNS integer
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    locks    integer;
    ids      integer;
    greatest_token bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM FROM holdfast_floor f WHERE f.one = 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0; -- somebody else is at it
    END IF;

    WITH idle AS (
        SELECT l.namespace, l.name FROM holdfast_lock l
        WHERE l.until < clock_timestamp() - in_idle * interval '1 microsecond'
        LIMIT in_most
        FOR UPDATE SKIP LOCKED
    ), removed AS (
        DELETE FROM holdfast_lock l USING idle i
        WHERE l.namespace = i.namespace AND l.name = i.name
        RETURNING l.token
    )
    SELECT count(*), max(r.token) INTO locks, greatest_token FROM removed r;
    IF locks > 0 THEN
        UPDATE holdfast_floor f SET token = greatest(f.token, greatest_token) WHERE f.one = 1;
    END IF;

    WITH over AS (
        SELECT r.namespace, r.name, r.id FROM holdfast_released r
        WHERE r.until <= clock_timestamp()
        LIMIT in_most
        FOR UPDATE SKIP LOCKED
    ), removed AS (
        DELETE FROM holdfast_released r USING over o
        WHERE r.namespace = o.namespace AND r.name = o.name AND r.id = o.id
        RETURNING 1
    )
    SELECT count(*) INTO ids FROM removed;
    RETURN greatest(locks, ids);
END
$$;
