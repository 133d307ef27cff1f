-- Removes rows of locks that nobody used for a while and nobody waits for, with the waiters that died; waiters that died
-- behind a lock that is busy; and ids whose time is over: of in_most locks each and in_most ids, and tells how many there
-- were of whichever were the most.
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
    gone_after      CONSTANT interval := '1 minute';
    locks           integer;
    crowded         integer;
    ids             integer;
    now_at          timestamptz;
    greatest_token  bigint;
    idle_namespaces text[];
    idle_names      text[];
    busy_namespaces text[];
    busy_names      text[];
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM FROM holdfast_floor f WHERE f.one = 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN 0; -- somebody else is at it
    END IF;

    SELECT array_agg(i.namespace), array_agg(i.name) INTO idle_namespaces, idle_names FROM (
        SELECT l.namespace, l.name FROM holdfast_lock l
        WHERE l.until < clock_timestamp() - in_idle * interval '1 microsecond'
        LIMIT in_most
        FOR UPDATE SKIP LOCKED
    ) i;
    -- Only now that their rows are locked: a snapshot older than that would miss who has come to wait meanwhile.
    now_at := clock_timestamp();
    WITH removed AS (
        DELETE FROM holdfast_lock l USING unnest(idle_namespaces, idle_names) AS i (namespace, name)
        WHERE l.namespace = i.namespace AND l.name = i.name AND NOT EXISTS (
            SELECT FROM holdfast_waiter w
            WHERE w.namespace = l.namespace AND w.name = l.name
                AND w.seen > now_at - interval '15 seconds' AND w.seen <= now_at)
        RETURNING l.namespace, l.name, l.token
    ), left_behind AS (
        DELETE FROM holdfast_waiter w USING removed r WHERE w.namespace = r.namespace AND w.name = r.name
    )
    SELECT count(*), max(r.token) INTO locks, greatest_token FROM removed r;
    IF locks > 0 THEN
        UPDATE holdfast_floor f SET token = greatest(f.token, greatest_token) WHERE f.one = 1;
    END IF;

    -- Only of busy locks: whoever asks for a free one has to see who died as its first, as the next has its chance from then on.
    SELECT array_agg(b.namespace), array_agg(b.name), count(*) INTO busy_namespaces, busy_names, crowded FROM (
        SELECT l.namespace, l.name FROM holdfast_lock l
        WHERE l.waiters > 0 AND l.state <> 'free' AND l.until > clock_timestamp() AND EXISTS (
            SELECT FROM holdfast_waiter w
            WHERE w.namespace = l.namespace AND w.name = l.name
                AND (w.seen < clock_timestamp() - gone_after OR w.seen > clock_timestamp()))
        LIMIT in_most
        FOR UPDATE OF l SKIP LOCKED
    ) b;
    now_at := clock_timestamp(); -- as above
    WITH removed AS (
        DELETE FROM holdfast_waiter w USING unnest(busy_namespaces, busy_names) AS b (namespace, name)
        WHERE w.namespace = b.namespace AND w.name = b.name AND (w.seen < now_at - gone_after OR w.seen > now_at)
        RETURNING w.namespace, w.name
    )
    UPDATE holdfast_lock l SET waiters = l.waiters - r.waiters
    FROM (SELECT w.namespace, w.name, count(*) AS waiters FROM removed w GROUP BY w.namespace, w.name) r
    WHERE l.namespace = r.namespace AND l.name = r.name;

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
    RETURN greatest(locks, crowded, ids);
END
$$;
