-- Carries out a batch of steps in one round trip and one transaction, and answers each.
--
-- Promises: each step sees its lock's row locked and the clock as it was after that; rows are locked by name in the order
-- of their bytes, so that two batches never wait for each other. What was granted, renewed or kept for a minimum hold is on
-- the disk when it is answered, whatever the role's settings say; a batch in which nothing was need not be: losing a
-- release, or a place in the queue, costs time, not the lock.
--
-- Every statement in here has a snapshot of its own (READ COMMITTED, VOLATILE), so what is read after the row lock was won
-- was committed before it, or by whoever had it before.
--
-- Every row is found through an index: sessions keep their plans, and one that was made while a table was empty has to serve
-- when thousands wait.
--
-- Whoever's turn it has become is told through in_channel, as "<id> <name>"; so is whoever has become the first in the queue
-- of a busy lock because another left it: it asks, and learns when its turn is. Nobody is told where nobody waits, and the
-- queue is not even looked at.
CREATE OR REPLACE FUNCTION holdfast_apply_v1(
    in_namespace text,
    in_channel   text,      -- where the namespace's waiters listen
    in_patience  integer,   -- how long to wait for a row, in ms
    in_kinds     text[],    -- acquire, renew, release
    in_names     text[],
    in_ids       uuid[],
    in_lengths   bigint[],  -- microseconds: of the lease; for a release the minimum hold
    in_queues    boolean[], -- acquire: whether to wait in the queue
    in_aboves    bigint[],  -- acquire: the token must be greater
    in_owners    text[],    -- acquire: who asks
    in_remembers bigint[]   -- release: microseconds to remember the id
)
RETURNS TABLE (
    answer_step   bigint, -- which step, from 1
    answer        text,   -- granted, waiting, busy, gone, released, absent (nothing to release), exhausted (no token is left)
    answer_number bigint, -- granted: the token; waiting: how many wait before, 4 for more; exhausted: the last token
    answer_micros bigint  -- granted, waiting, busy: how long the lease or whatever is in the way still lasts; negative
                          -- since when the lock is kept for the first in the queue
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    ticket        CONSTANT interval := '15 seconds';
    step          record;
    lock          record;
    now_at        timestamptz;
    kept_until    timestamptz;
    is_busy       boolean;
    is_last       boolean;
    is_held       boolean;
    is_durable    boolean := false;
    last          bigint;
    own_place     bigint; -- of the step's id in the queue
    left_place    bigint; -- which it had until now, and gave up or lost, while the lock is busy
    first_id      uuid;   -- who the first in the queue is, once somebody looked
    first_place   bigint;
    first_since   timestamptz;
    first_dropped integer;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    PERFORM set_config('lock_timeout', in_patience::text, true);

    FOR step IN
        SELECT t.* FROM unnest(
                in_kinds, in_names, in_ids, in_lengths, in_queues, in_aboves, in_owners, in_remembers)
            WITH ORDINALITY AS t (kind, name, id, length, queue, above, owner, remember, place)
        ORDER BY t.name COLLATE "C", t.place
    LOOP
        LOOP
            SELECT l.token, l.id, l.since, l.until, l.state, l.waiters, l.promoted INTO lock FROM holdfast_lock l
            WHERE l.namespace = in_namespace AND l.name = step.name
            FOR UPDATE;
            -- A row is made for whatever leaves a trace; even a release does, if its acquire may still be under way and
            -- has to meet it here.
            EXIT WHEN FOUND OR step.kind = 'renew' OR (step.kind = 'release' AND step.remember = 0);
            INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state, waiters)
            SELECT in_namespace, step.name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', count(*)
            FROM holdfast_waiter w WHERE w.namespace = in_namespace AND w.name = step.name -- of a row deleted by hand
            ON CONFLICT DO NOTHING;
        END LOOP;

        now_at := clock_timestamp();
        -- What is free stays so, even if the clock was set back.
        is_busy := coalesce(lock.state <> 'free' AND lock.until > now_at, false);
        is_last := lock.id IS NOT DISTINCT FROM step.id;
        is_held := is_last AND is_busy AND lock.state = 'held';
        own_place := NULL;
        left_place := NULL;
        first_id := NULL;
        first_dropped := 0;
        answer_step := step.place;
        answer_number := NULL;
        answer_micros := NULL;

        IF step.kind = 'acquire' THEN
            IF is_held THEN
                answer := 'granted';
                answer_number := lock.token;
                answer_micros := floor(extract(epoch FROM lock.until - now_at) * 1000000);
            ELSIF is_last OR EXISTS (
                SELECT FROM holdfast_released r
                WHERE r.namespace = in_namespace AND r.name = step.name AND r.id = step.id AND r.until > now_at)
            THEN
                answer := 'gone';
            ELSE
                IF NOT is_busy AND lock.waiters > 0 THEN
                    SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM holdfast_first_v1(
                        in_namespace, step.name, now_at, greatest(lock.until, lock.promoted), step.id) f;
                    IF first_dropped > 0 THEN
                        lock.waiters := lock.waiters - first_dropped;
                        UPDATE holdfast_lock l
                        SET waiters = lock.waiters, promoted = first_since, until = least(lock.until, now_at)
                        WHERE l.namespace = in_namespace AND l.name = step.name;
                    END IF;
                END IF;

                IF is_busy OR (first_id IS NOT NULL AND first_id <> step.id) THEN
                    answer := 'busy';
                    answer_micros := floor(
                        extract(epoch FROM CASE WHEN is_busy THEN lock.until ELSE first_since END - now_at) * 1000000);
                    IF step.queue THEN
                        answer := 'waiting';
                        IF lock.waiters > 0 THEN
                            -- A repetition keeps its place, unless it comes after a ticket's time.
                            UPDATE holdfast_waiter w SET seen = now_at
                            WHERE w.namespace = in_namespace AND w.name = step.name AND w.id = step.id
                                AND w.seen <= now_at AND now_at < w.seen + ticket
                            RETURNING w.place INTO own_place;
                            IF own_place IS NULL THEN
                                DELETE FROM holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = step.name AND w.id = step.id
                                RETURNING w.place INTO left_place;
                            END IF;
                        END IF;
                        IF own_place IS NULL THEN
                            INSERT INTO holdfast_waiter (namespace, name, place, id, owner, seen)
                            VALUES (
                                in_namespace, step.name,
                                1 + coalesce((
                                    SELECT w.place FROM holdfast_waiter w
                                    WHERE w.namespace = in_namespace AND w.name = step.name
                                    ORDER BY w.place DESC LIMIT 1), 0),
                                step.id, step.owner, now_at)
                            RETURNING place INTO own_place;
                            IF left_place IS NULL THEN
                                UPDATE holdfast_lock l SET waiters = lock.waiters + 1
                                WHERE l.namespace = in_namespace AND l.name = step.name;
                            END IF;
                        END IF;
                        SELECT count(*) INTO answer_number FROM (
                            SELECT FROM holdfast_waiter w
                            WHERE w.namespace = in_namespace AND w.name = step.name AND w.place < own_place
                                AND w.seen <= now_at AND now_at < w.seen + ticket
                            ORDER BY w.place LIMIT 4) w;
                    END IF;
                    IF first_dropped > 0 THEN
                        PERFORM pg_notify(in_channel, first_id || ' ' || step.name);
                    END IF;
                ELSE
                    SELECT greatest(max(f.token), lock.token, step.above) INTO last FROM holdfast_floor f
                    WHERE f.one = 1;
                    IF last >= 9007199254740991 THEN
                        answer := 'exhausted';
                        answer_number := last;
                    ELSE
                        IF lock.state = 'held' THEN
                            -- Its holder died or stalled, and may still ask once more.
                            INSERT INTO holdfast_released (namespace, name, id, until)
                            VALUES (in_namespace, step.name, lock.id, now_at + step.length * interval '1 microsecond')
                            ON CONFLICT (namespace, name, id) DO UPDATE
                            SET until = greatest(holdfast_released.until, excluded.until);
                        END IF;
                        IF first_id IS NOT NULL THEN
                            DELETE FROM holdfast_waiter w
                            WHERE w.namespace = in_namespace AND w.name = step.name AND w.id = step.id;
                            lock.waiters := lock.waiters - 1;
                        END IF;
                        answer := 'granted';
                        answer_number := greatest(
                            last + 1,
                            least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991));
                        answer_micros := step.length;
                        UPDATE holdfast_lock l
                        SET token = answer_number, id = step.id, owner = step.owner, since = now_at,
                            until = now_at + step.length * interval '1 microsecond', state = 'held',
                            waiters = lock.waiters, promoted = NULL
                        WHERE l.namespace = in_namespace AND l.name = step.name;
                    END IF;
                END IF;
            END IF;

        ELSIF step.kind = 'renew' THEN
            IF is_held THEN
                answer := 'granted';
                answer_number := lock.token;
                lock.until := greatest(lock.until, now_at + step.length * interval '1 microsecond');
                answer_micros := floor(extract(epoch FROM lock.until - now_at) * 1000000);
                UPDATE holdfast_lock l SET until = lock.until
                WHERE l.namespace = in_namespace AND l.name = step.name;
            ELSE
                answer := 'gone';
            END IF;

        ELSE
            IF is_held THEN
                answer := 'released';
                kept_until := lock.since + step.length * interval '1 microsecond';
                lock.until := greatest(now_at, kept_until);
                lock.state := CASE WHEN kept_until > now_at THEN 'kept' ELSE 'free' END;
                is_durable := is_durable OR kept_until > now_at;
            ELSE
                answer := 'absent';
                IF lock.waiters > 0 THEN
                    DELETE FROM holdfast_waiter w
                    WHERE w.namespace = in_namespace AND w.name = step.name AND w.id = step.id
                    RETURNING w.place INTO own_place;
                    IF own_place IS NOT NULL THEN
                        lock.waiters := lock.waiters - 1;
                        left_place := own_place;
                    END IF;
                END IF;
            END IF;
            -- Now it is somebody else's turn: after a lease, or if the first in the queue of a free lock has left it.
            IF lock.waiters > 0 AND (is_held OR (own_place IS NOT NULL AND NOT is_busy)) THEN
                SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM holdfast_first_v1(
                    in_namespace, step.name, now_at, greatest(lock.until, lock.promoted), NULL) f;
                lock.waiters := lock.waiters - first_dropped;
                IF first_dropped > 0 THEN
                    lock.promoted := first_since;
                END IF;
                IF NOT is_held AND first_place > own_place THEN
                    lock.promoted := now_at;
                    lock.until := least(lock.until, now_at);
                END IF;
                IF first_id IS NOT NULL AND (is_held OR first_dropped > 0 OR first_place > own_place) THEN
                    PERFORM pg_notify(in_channel, first_id || ' ' || step.name);
                END IF;
            END IF;
            IF is_held OR own_place IS NOT NULL THEN
                UPDATE holdfast_lock l
                SET until = lock.until, state = lock.state, waiters = lock.waiters, promoted = lock.promoted
                WHERE l.namespace = in_namespace AND l.name = step.name;
            END IF;
            IF step.remember > 0 THEN
                INSERT INTO holdfast_released (namespace, name, id, until)
                VALUES (in_namespace, step.name, step.id, now_at + step.remember * interval '1 microsecond')
                ON CONFLICT (namespace, name, id) DO UPDATE SET until = greatest(holdfast_released.until, excluded.until);
            END IF;
        END IF;

        IF is_busy AND left_place IS NOT NULL AND lock.waiters > 0 THEN
            SELECT w.id, w.place INTO first_id, first_place FROM holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = step.name AND w.seen <= now_at AND now_at < w.seen + ticket
            ORDER BY w.place LIMIT 1;
            IF first_place > left_place AND first_id <> step.id THEN
                PERFORM pg_notify(in_channel, first_id || ' ' || step.name);
            END IF;
        END IF;
        is_durable := is_durable OR answer = 'granted';
        RETURN NEXT;
    END LOOP;

    IF NOT is_durable THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END
$$;
