-- The greatest token of a namespace: of those that its rows, the floor and its regime tell of, or that a primary in power may
-- have granted.
--
-- Promises: one look in one snapshot, so that no token is missed that is on its way from a row to the floor.
CREATE OR REPLACE FUNCTION holdfast_highest_v1(in_namespace text, in_bucket integer)
RETURNS bigint
LANGUAGE sql
STABLE
SET search_path FROM CURRENT
AS $$
    SELECT greatest(
        (SELECT max(l.token) FROM holdfast_lock l WHERE l.namespace = in_namespace),
        (SELECT max(f.token) FROM holdfast_floor f),
        (
            SELECT r.base + CASE WHEN r.mode = 'PRIMARY' THEN 68719476736 ELSE 0 END -- 2^36
            FROM holdfast_regime r WHERE r.namespace = in_namespace AND r.bucket = in_bucket
        ),
        0)
$$;

-- Makes the first regime of a namespace, FALLBACK of epoch 1, unless there is one; tells whether there is one now. There is none
-- if a lock of the namespace is held, kept or waited for by those who use this database alone.
--
-- Promises: among any number who try at once one makes it. Whoever uses the database alone looks at holdfast_regime in the
-- statement that does something: who is in the middle of that is waited for, and who comes later finds the regime.
CREATE OR REPLACE FUNCTION holdfast_found_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_lease     bigint,  -- microseconds
    in_base      bigint   -- tokens are to be greater
)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    founding CONSTANT bigint := 7525352680830498158; -- "holdfoun" in ASCII
    regime record;
    now_at timestamptz;
BEGIN
    -- One founder at a time: of two that have looked into the table each would wait for the other to be alone with it.
    PERFORM set_config('lock_timeout', in_patience::text, true);
    PERFORM pg_advisory_xact_lock(founding);
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, true) g;
    IF regime.epoch IS NOT NULL THEN
        RETURN true;
    END IF;
    LOCK TABLE holdfast_regime IN ACCESS EXCLUSIVE MODE;
    now_at := clock_timestamp();
    IF EXISTS (
        SELECT FROM holdfast_lock l
        WHERE l.namespace = in_namespace AND l.state <> 'free' AND l.until > now_at
    ) OR EXISTS (
        SELECT FROM holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.seen <= now_at AND now_at < w.seen + interval '15 seconds'
    ) THEN
        RETURN false;
    END IF;
    INSERT INTO holdfast_regime (namespace, bucket, epoch, mode, lineage, lease, base, falls, since, cause)
    VALUES (
        in_namespace, in_bucket, 1, 'FALLBACK', '', in_lease,
        greatest(
            in_base, floor(extract(epoch FROM now_at) * 1000000)::bigint,
            holdfast_highest_v1(in_namespace, in_bucket)),
        0, now_at, 'founded');
    PERFORM holdfast_durably_v1();
    RETURN true;
END
$$;
