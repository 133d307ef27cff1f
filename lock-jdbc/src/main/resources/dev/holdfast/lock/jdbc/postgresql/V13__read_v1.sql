-- The regime of a namespace, and who shares it: whoever read it within the last half of a regime lease. Everybody alive does, as
-- each reads every third of it; the voice of one that died should not count for longer than it must. No row if there is none.
CREATE OR REPLACE FUNCTION holdfast_reading_v1(in_namespace text, in_bucket integer)
RETURNS TABLE (
    epoch      bigint,
    mode       text,
    lineage    text,
    lease      bigint, -- microseconds
    base       bigint,
    falls      integer,
    cause      text,
    since      timestamptz,
    members    bigint,
    suspecting bigint  -- how many of them cannot reach the primary of this epoch
)
LANGUAGE sql
STABLE
SET search_path FROM CURRENT
AS $$
    SELECT r.epoch, r.mode, r.lineage, r.lease, r.base, r.falls, r.cause, r.since,
        count(m.id), count(m.id) FILTER (WHERE m.suspected = r.epoch)
    FROM holdfast_regime r
    LEFT JOIN holdfast_member m
        ON m.namespace = r.namespace AND m.bucket = r.bucket
            AND m.seen <= clock_timestamp() AND clock_timestamp() < m.seen + r.lease / 2 * interval '1 microsecond'
    WHERE r.namespace = in_namespace AND r.bucket = in_bucket
    GROUP BY r.namespace, r.bucket
$$;

-- Reads the regime, and writes down who asks. A newcomer removes the rows of those who have not asked for long.
--
-- Promises: the regime as it was after the call began. It is answered only once what was written down is on the disk, and with
-- synchronous standbys on theirs, and so is every change that the answer tells of: a former primary server that was cut off from
-- them answers nobody.
CREATE OR REPLACE FUNCTION holdfast_read_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_id        uuid,
    in_owner     text,
    in_suspected bigint   -- the epoch whose primary it cannot reach; 0 for none
)
RETURNS TABLE (
    epoch      bigint,
    mode       text,
    lineage    text,
    lease      bigint,
    base       bigint,
    falls      integer,
    cause      text,
    since      timestamptz,
    members    bigint,
    suspecting bigint
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM set_config('lock_timeout', in_patience::text, true);
    UPDATE holdfast_member m SET owner = in_owner, suspected = in_suspected, seen = clock_timestamp()
    WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = in_id;
    IF NOT FOUND THEN
        INSERT INTO holdfast_member AS m (namespace, bucket, id, owner, suspected, seen)
        VALUES (in_namespace, in_bucket, in_id, in_owner, in_suspected, clock_timestamp())
        ON CONFLICT (namespace, bucket, id) DO UPDATE
        SET owner = excluded.owner, suspected = excluded.suspected, seen = excluded.seen;
        DELETE FROM holdfast_member m
        WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = ANY (ARRAY(
            SELECT o.id FROM holdfast_member o
            WHERE o.namespace = in_namespace AND o.bucket = in_bucket AND o.seen < clock_timestamp() - interval '1 hour'
            FOR UPDATE SKIP LOCKED));
    END IF;
    PERFORM holdfast_durably_v1();
    RETURN QUERY SELECT r.* FROM holdfast_reading_v1(in_namespace, in_bucket) r;
END
$$;
