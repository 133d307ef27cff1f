-- Takes over grants of the epoch before, in DRAIN of this one, each with its token and for the time that it has left.
--
-- Promises: a lock that somebody has stays with that one. What was asserted before stands as it is, or longer; an id that has been
-- given up since, or whose time was over, gets nothing back: at most its minimum hold, if the lock is free. Rows are locked by name in the order of their bytes, as
-- holdfast_apply_v1 does. What stands is on the disk when it is answered.
CREATE OR REPLACE FUNCTION holdfast_assert_v1(
    in_namespace  text,
    in_bucket     integer,
    in_patience   integer,   -- how long to wait for a lock, in ms
    in_epoch      bigint,
    in_names      text[],
    in_ids        uuid[],
    in_tokens     bigint[],
    in_ages       bigint[],  -- microseconds for which it has been held
    in_remainings bigint[],  -- microseconds that are left
    in_kepts      boolean[], -- whether it was given back, and is kept for its minimum hold
    in_owners     text[]
)
RETURNS TABLE (
    answer_step   bigint, -- which grant, from 1
    answer        text,   -- granted, gone, deposed
    answer_number bigint, -- granted: the token
    answer_micros bigint, -- granted: how long it still lasts
    answer_why    text    -- deposed: what the regime is
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    regime  record;
    carried record;
    lock    record;
    now_at  timestamptz;
    is_busy boolean;
BEGIN
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
    IF regime.epoch IS DISTINCT FROM in_epoch OR regime.mode <> 'DRAIN' THEN
        RETURN QUERY
            SELECT t.place, 'deposed', NULL::bigint, NULL::bigint, regime.evidence
            FROM unnest(in_names) WITH ORDINALITY AS t (name, place);
        RETURN;
    END IF;

    FOR carried IN
        SELECT t.* FROM unnest(in_names, in_ids, in_tokens, in_ages, in_remainings, in_kepts, in_owners)
            WITH ORDINALITY AS t (name, id, token, age, remaining, is_kept, owner, place)
        ORDER BY t.name COLLATE "C", t.place
    LOOP
        LOOP
            SELECT l.id, l.token, l.until, l.state INTO lock FROM holdfast_lock l
            WHERE l.namespace = in_namespace AND l.name = carried.name
            FOR UPDATE;
            EXIT WHEN FOUND;
            INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state, waiters)
            VALUES (in_namespace, carried.name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', 0)
            ON CONFLICT DO NOTHING;
        END LOOP;

        now_at := clock_timestamp();
        is_busy := lock.state <> 'free' AND lock.until > now_at;
        answer_step := carried.place;
        answer := 'gone';
        answer_number := NULL;
        answer_micros := NULL;
        IF lock.id = carried.id THEN
            IF is_busy AND (lock.state = 'held' OR carried.is_kept) THEN
                answer := 'granted';
                UPDATE holdfast_lock l
                SET until = greatest(l.until, now_at + carried.remaining * interval '1 microsecond')
                WHERE l.namespace = in_namespace AND l.name = carried.name
                RETURNING l.token, l.until INTO lock.token, lock.until;
            END IF;
        ELSIF NOT is_busy AND (
            carried.is_kept OR NOT EXISTS (
                -- However long ago: no id is used again.
                SELECT FROM holdfast_released r
                WHERE r.namespace = in_namespace AND r.name = carried.name AND r.id = carried.id))
        THEN
            answer := 'granted';
            UPDATE holdfast_lock l
            SET token = carried.token, id = carried.id, owner = carried.owner,
                since = now_at - carried.age * interval '1 microsecond',
                until = now_at + carried.remaining * interval '1 microsecond',
                state = CASE WHEN carried.is_kept THEN 'kept' ELSE 'held' END, promoted = NULL
            WHERE l.namespace = in_namespace AND l.name = carried.name
            RETURNING l.token, l.until INTO lock.token, lock.until;
        END IF;
        IF answer = 'granted' THEN
            answer_number := lock.token;
            answer_micros := floor(extract(epoch FROM lock.until - now_at) * 1000000);
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM holdfast_durably_v1();
END
$$;
