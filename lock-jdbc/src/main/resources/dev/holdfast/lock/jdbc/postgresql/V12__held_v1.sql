-- A page of what is held or kept, in the order of the names' bytes, in PREPARE of the epoch; in any other regime one row that
-- says what the regime is.
--
-- Promises: whatever was granted before PREPARE began is seen.
CREATE OR REPLACE FUNCTION holdfast_held_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_epoch     bigint,
    in_after     text,    -- names that are greater
    in_most      integer
)
RETURNS TABLE (
    held_name      text,
    held_id        uuid,
    held_token     bigint,
    held_age       bigint,  -- microseconds since it was granted
    held_remaining bigint,  -- microseconds that are left
    held_kept      boolean, -- whether it was given back, and is kept for its minimum hold
    held_owner     text,
    held_why       text     -- what the regime is, if it is another; null if not
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    regime record;
    now_at timestamptz;
BEGIN
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
    IF regime.epoch IS DISTINCT FROM in_epoch OR regime.mode <> 'PREPARE' THEN
        held_why := regime.evidence;
        RETURN NEXT;
        RETURN;
    END IF;
    now_at := clock_timestamp();
    RETURN QUERY
        SELECT l.name::text, l.id, l.token,
            greatest(0, floor(extract(epoch FROM now_at - l.since) * 1000000))::bigint,
            ceil(extract(epoch FROM l.until - now_at) * 1000000)::bigint,
            l.state = 'kept', l.owner, NULL::text
        FROM holdfast_lock l
        WHERE l.namespace = in_namespace AND l.name > in_after AND l.state <> 'free' AND l.until > now_at
        ORDER BY l.name
        LIMIT in_most;
END
$$;
