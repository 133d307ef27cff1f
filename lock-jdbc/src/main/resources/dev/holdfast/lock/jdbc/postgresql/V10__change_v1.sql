-- Changes the regime, if it is the one that the change starts from; whoever waits for a lock in this database is told to ask
-- again.
--
-- Promises: nothing that was done under the regime before comes to light after the change, which is on the disk when it is
-- answered.
CREATE OR REPLACE FUNCTION holdfast_change_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_channel   text,    -- where the namespace's waiters listen
    in_kind      text,    -- depose, open, prepare, crown, burn
    in_epoch     bigint,  -- the epoch that it starts from
    in_lineage   text,    -- prepare: whose power is prepared
    in_cause     text     -- why, for people; null for no other reason than there was
)
RETURNS text -- made; other: so is the regime; exhausted: too few tokens are left for a primary, so that none is prepared
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    tokens CONSTANT bigint := 68719476736; -- 2^36: how many a primary may grant
    needed text;
    regime record;
    now_at timestamptz;
    upto   bigint;
BEGIN
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, true) g;
    needed := CASE in_kind
        WHEN 'depose' THEN 'PRIMARY'
        WHEN 'open' THEN 'DRAIN'
        WHEN 'prepare' THEN 'FALLBACK'
        ELSE 'PREPARE'
    END;
    IF regime.epoch IS DISTINCT FROM in_epoch OR regime.mode <> needed THEN
        RETURN 'other';
    END IF;
    now_at := clock_timestamp();

    IF in_kind = 'depose' THEN
        UPDATE holdfast_regime r
        SET epoch = r.epoch + 1, mode = 'DRAIN', lineage = '', base = r.base + tokens,
            falls = CASE
                WHEN now_at < r.since + 60 * r.lease * interval '1 microsecond' THEN r.falls + 1
                ELSE 1
            END
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'open' THEN
        UPDATE holdfast_regime r SET mode = 'FALLBACK'
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'prepare' THEN
        upto := holdfast_highest_v1(in_namespace, in_bucket);
        IF upto + tokens > 9007199254740991 THEN
            RETURN 'exhausted';
        END IF;
        UPDATE holdfast_regime r
        SET epoch = r.epoch + 1, mode = 'PREPARE', lineage = in_lineage, base = upto
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'crown' THEN
        UPDATE holdfast_regime r SET mode = 'PRIMARY'
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
        -- In the order of holdfast_prune_v1: the floor, then the rows. They have been copied; what were left of them would stand
        -- in the way of what is asserted next time.
        UPDATE holdfast_floor f
        SET token = greatest(
            f.token, (SELECT max(l.token) FROM holdfast_lock l WHERE l.namespace = in_namespace))
        WHERE f.one = 1;
        DELETE FROM holdfast_lock l WHERE l.namespace = in_namespace;
        DELETE FROM holdfast_waiter w WHERE w.namespace = in_namespace;
        DELETE FROM holdfast_released r WHERE r.namespace = in_namespace;
    ELSE
        UPDATE holdfast_regime r SET epoch = r.epoch + 1, mode = 'FALLBACK', lineage = ''
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    END IF;
    UPDATE holdfast_regime r SET since = now_at, cause = coalesce(in_cause, r.cause)
    WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    PERFORM pg_notify(in_channel, 'regime'); -- to no one in particular
    PERFORM holdfast_durably_v1();
    RETURN 'made';
END
$$;
