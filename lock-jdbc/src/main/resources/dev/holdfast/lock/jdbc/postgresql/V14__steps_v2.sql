-- Drops from the front of a lock's queue whoever has lost its place, and tells who is the first then.
--
-- Promises: whoever has not asked for a ticket's time is dropped; with in_asking also whoever had its chance at the free
-- lock and let it pass, but never that one itself. Who becomes the first that way has its whole chance from now on.
--
-- Called by whoever has the lock's row locked and keeps the count of the waiters in it: holdfast_apply_v2, in whose search path
-- and with whose settings it runs. Does what holdfast_first_v1 did; but where nobody is dead, nothing is looked for to drop.
CREATE OR REPLACE FUNCTION holdfast_first_v2(
    in_namespace text,
    in_name      text,
    in_now       timestamptz,
    in_since     timestamptz, -- since when the lock is kept for the first
    in_asking    uuid,        -- who asks for the lock; null if nobody does
    OUT first_id      uuid,        -- null if nobody waits
    OUT first_place   bigint,
    OUT first_since   timestamptz, -- since when the lock is kept for that one
    OUT first_dropped integer      -- how many were dropped
)
LANGUAGE plpgsql
VOLATILE
AS $$
DECLARE
    ticket      CONSTANT interval := '15 seconds';
    reservation CONSTANT interval := '2 seconds';
    is_alive    boolean;
    dead        integer;
    is_new      boolean;
BEGIN
    first_since := in_since;
    first_dropped := 0;
    LOOP
        -- A time in the future was written before the clock was set back.
        SELECT w.id, w.place, w.seen <= in_now AND in_now < w.seen + ticket INTO first_id, first_place, is_alive
        FROM holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name
        ORDER BY w.place LIMIT 1;

        IF NOT is_alive THEN
            SELECT w.id, w.place INTO first_id, first_place FROM holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.seen <= in_now AND in_now < w.seen + ticket
            ORDER BY w.place LIMIT 1;

            -- Whoever is before the first of the living is dead. All in one statement: there may be thousands.
            WITH dropped AS (
                DELETE FROM holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = in_name
                    AND w.place < coalesce(first_place, 9223372036854775807)
                RETURNING w.seen
            )
            -- Whoever was dead before the lock became free was never the first of a free lock.
            SELECT count(*), coalesce(bool_or(d.seen + ticket > in_since), false) INTO dead, is_new FROM dropped d;
            first_dropped := first_dropped + dead;
            IF is_new THEN
                first_since := in_now;
            END IF;
        END IF;

        EXIT WHEN first_id IS NULL OR in_asking IS NULL OR first_id = in_asking
            OR (in_now >= first_since AND in_now < first_since + reservation);
        -- The next of the living has its chance from now on, so that this comes to pass once at most.
        DELETE FROM holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.id = first_id;
        first_dropped := first_dropped + 1;
        first_since := in_now;
    END LOOP;
END
$$;

-- Carries out a batch of steps in one round trip and one transaction, and answers each. Does what holdfast_apply_v1 did, with
-- fewer statements; that one stays for processes that do not know of this one yet, and both may work on the same rows at once.
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
-- when thousands wait. A row that is locked is found again at its place: nobody else can move it until the end; if a trigger
-- did, nothing of the batch is done.
--
-- Whoever's turn it has become is told through in_channel, as "<id> <name>"; so is whoever has become the first in the queue
-- of a busy lock because another left it: it asks, and learns when its turn is. Nobody is told where nobody waits, and the
-- queue is not even looked at.
--
-- What takes its time is statements, of which there are as few as may be: an expression takes a tenth of one at most.
CREATE OR REPLACE FUNCTION holdfast_apply_v2(
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
    ticket     CONSTANT interval := '15 seconds';
    setting    text;    -- assigned to, as a query of its own for that costs more
    places     bigint[] := '{1}'; -- which step comes when
    step       bigint;
    is_durable boolean := false;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    setting := set_config('lock_timeout', in_patience::text, true);
    IF cardinality(in_names) <> 1 THEN
        places := ARRAY(
            SELECT t.place FROM unnest(in_names) WITH ORDINALITY AS t (name, place) ORDER BY t.name COLLATE "C", t.place);
    END IF;

    FOREACH step IN ARRAY places LOOP
        DECLARE -- all null at first
            step_name     CONSTANT text := in_names[step];
            step_id       CONSTANT uuid := in_ids[step];
            row_place     tid;     -- of the lock's row: stays as it is while nobody but this function writes to the row
            lock_token    bigint;
            lock_id       uuid;
            lock_since    timestamptz;
            lock_until    timestamptz;
            lock_state    text;
            lock_waiters  integer;
            lock_promoted timestamptz;
            now_at        timestamptz;
            kept_until    timestamptz;
            is_busy       boolean;
            is_last       boolean;
            is_held       boolean;
            last          bigint;
            own_place     bigint;  -- of the step's id in the queue
            left_place    bigint;  -- which it had until now, and gave up or lost, while the lock is busy
            first_id      uuid;    -- who the first in the queue is, once somebody looked
            first_place   bigint;
            first_since   timestamptz;
            first_dropped integer;
            is_moved      boolean := false; -- the lock's row is not at its place any more
        BEGIN
            LOOP
                SELECT l.ctid, l.token, l.id, l.since, l.until, l.state, l.waiters, l.promoted
                INTO row_place, lock_token, lock_id, lock_since, lock_until, lock_state, lock_waiters, lock_promoted
                FROM holdfast_lock l
                WHERE l.namespace = in_namespace AND l.name = step_name
                FOR UPDATE;
                -- A row is made for whatever leaves a trace; even a release does, if its acquire may still be under way and
                -- has to meet it here.
                EXIT WHEN FOUND OR in_kinds[step] = 'renew' OR (in_kinds[step] = 'release' AND in_remembers[step] = 0);
                INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state, waiters)
                SELECT in_namespace, step_name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', count(*)
                FROM holdfast_waiter w WHERE w.namespace = in_namespace AND w.name = step_name -- of a row deleted by hand
                ON CONFLICT DO NOTHING;
            END LOOP;

            now_at := clock_timestamp();
            -- What is free stays so, even if the clock was set back.
            is_busy := coalesce(lock_state <> 'free' AND lock_until > now_at, false);
            is_last := lock_id IS NOT DISTINCT FROM step_id;
            is_held := is_last AND is_busy AND lock_state = 'held';
            answer_step := step;
            answer_number := NULL;
            answer_micros := NULL;

            IF in_kinds[step] = 'acquire' THEN
                IF is_held THEN
                    answer := 'granted';
                    answer_number := lock_token;
                    answer_micros := floor(extract(epoch FROM lock_until - now_at) * 1000000);
                ELSIF is_last OR EXISTS (
                    SELECT FROM holdfast_released r
                    WHERE r.namespace = in_namespace AND r.name = step_name AND r.id = step_id AND r.until > now_at)
                THEN
                    answer := 'gone';
                ELSE
                    IF NOT is_busy AND lock_waiters > 0 THEN
                        SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM holdfast_first_v2(
                            in_namespace, step_name, now_at, greatest(lock_until, lock_promoted), step_id) f;
                        IF first_dropped > 0 THEN
                            lock_waiters := lock_waiters - first_dropped;
                            UPDATE holdfast_lock l
                            SET waiters = lock_waiters, promoted = first_since, until = least(lock_until, now_at)
                            WHERE l.namespace = in_namespace AND l.name = step_name
                            RETURNING l.ctid INTO row_place;
                            is_moved := NOT FOUND;
                        END IF;
                    END IF;

                    IF is_busy OR (first_id IS NOT NULL AND first_id <> step_id) THEN
                        answer := 'busy';
                        answer_micros := floor(
                            extract(epoch FROM CASE WHEN is_busy THEN lock_until ELSE first_since END - now_at) * 1000000);
                        IF in_queues[step] THEN
                            answer := 'waiting';
                            IF lock_waiters > 0 THEN
                                -- A repetition keeps its place, unless it comes after a ticket's time.
                                UPDATE holdfast_waiter w SET seen = now_at
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id
                                    AND w.seen <= now_at AND now_at < w.seen + ticket
                                RETURNING w.place INTO own_place;
                                IF own_place IS NULL THEN
                                    DELETE FROM holdfast_waiter w
                                    WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id
                                    RETURNING w.place INTO left_place;
                                END IF;
                            END IF;
                            IF own_place IS NULL THEN
                                INSERT INTO holdfast_waiter (namespace, name, place, id, owner, seen)
                                VALUES (
                                    in_namespace, step_name,
                                    1 + coalesce((
                                        SELECT w.place FROM holdfast_waiter w
                                        WHERE w.namespace = in_namespace AND w.name = step_name
                                        ORDER BY w.place DESC LIMIT 1), 0),
                                    step_id, in_owners[step], now_at)
                                RETURNING place INTO own_place;
                                IF left_place IS NULL THEN
                                    UPDATE holdfast_lock l SET waiters = lock_waiters + 1
                                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                                    is_moved := is_moved OR NOT FOUND;
                                END IF;
                            END IF;
                            SELECT count(*) INTO answer_number FROM (
                                SELECT FROM holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.place < own_place
                                    AND w.seen <= now_at AND now_at < w.seen + ticket
                                ORDER BY w.place LIMIT 4) w;
                        END IF;
                        IF first_dropped > 0 THEN
                            PERFORM pg_notify(in_channel, first_id || ' ' || step_name);
                        END IF;
                    ELSE
                        last := greatest(lock_token, in_aboves[step]);
                        IF lock_token = 0 THEN
                            -- A new row. Any other's token is above all that its name ever had.
                            SELECT greatest(max(f.token), last) INTO last FROM holdfast_floor f WHERE f.one = 1;
                        END IF;
                        IF last >= 9007199254740991 THEN
                            answer := 'exhausted';
                            answer_number := last;
                        ELSE
                            IF lock_state = 'held' THEN
                                -- Its holder died or stalled, and may still ask once more.
                                INSERT INTO holdfast_released (namespace, name, id, until)
                                VALUES (in_namespace, step_name, lock_id, now_at + in_lengths[step] * interval '1 microsecond')
                                ON CONFLICT (namespace, name, id) DO UPDATE
                                SET until = greatest(holdfast_released.until, excluded.until);
                            END IF;
                            IF first_id IS NOT NULL THEN
                                DELETE FROM holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id;
                                lock_waiters := lock_waiters - 1;
                            END IF;
                            answer := 'granted';
                            answer_number := greatest(
                                last + 1,
                                least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991));
                            answer_micros := in_lengths[step];
                            UPDATE holdfast_lock l
                            SET token = answer_number, id = step_id, owner = in_owners[step], since = now_at,
                                until = now_at + in_lengths[step] * interval '1 microsecond', state = 'held',
                                waiters = lock_waiters, promoted = NULL
                            WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                            is_moved := is_moved OR NOT FOUND;
                        END IF;
                    END IF;
                END IF;

            ELSIF in_kinds[step] = 'renew' THEN
                IF is_held THEN
                    answer := 'granted';
                    answer_number := lock_token;
                    lock_until := greatest(lock_until, now_at + in_lengths[step] * interval '1 microsecond');
                    answer_micros := floor(extract(epoch FROM lock_until - now_at) * 1000000);
                    UPDATE holdfast_lock l SET until = lock_until
                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                    is_moved := is_moved OR NOT FOUND;
                ELSE
                    answer := 'gone';
                END IF;

            ELSE
                IF is_held THEN
                    answer := 'released';
                    kept_until := lock_since + in_lengths[step] * interval '1 microsecond';
                    lock_until := greatest(now_at, kept_until);
                    lock_state := CASE WHEN kept_until > now_at THEN 'kept' ELSE 'free' END;
                    is_durable := is_durable OR kept_until > now_at;
                ELSE
                    answer := 'absent';
                    IF lock_waiters > 0 THEN
                        DELETE FROM holdfast_waiter w
                        WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id
                        RETURNING w.place INTO own_place;
                        IF own_place IS NOT NULL THEN
                            lock_waiters := lock_waiters - 1;
                            left_place := own_place;
                        END IF;
                    END IF;
                END IF;
                -- Now it is somebody else's turn: after a lease, or if the first in the queue of a free lock has left it.
                IF lock_waiters > 0 AND (is_held OR (own_place IS NOT NULL AND NOT is_busy)) THEN
                    SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM holdfast_first_v2(
                        in_namespace, step_name, now_at, greatest(lock_until, lock_promoted), NULL) f;
                    lock_waiters := lock_waiters - first_dropped;
                    IF first_dropped > 0 THEN
                        lock_promoted := first_since;
                    END IF;
                    IF NOT is_held AND first_place > own_place THEN
                        lock_promoted := now_at;
                        lock_until := least(lock_until, now_at);
                    END IF;
                    IF first_id IS NOT NULL AND (is_held OR first_dropped > 0 OR first_place > own_place) THEN
                        PERFORM pg_notify(in_channel, first_id || ' ' || step_name);
                    END IF;
                END IF;
                IF is_held OR own_place IS NOT NULL THEN
                    UPDATE holdfast_lock l
                    SET until = lock_until, state = lock_state, waiters = lock_waiters, promoted = lock_promoted
                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                    is_moved := is_moved OR NOT FOUND;
                END IF;
                IF in_remembers[step] > 0 THEN
                    INSERT INTO holdfast_released (namespace, name, id, until)
                    VALUES (in_namespace, step_name, step_id, now_at + in_remembers[step] * interval '1 microsecond')
                    ON CONFLICT (namespace, name, id) DO UPDATE SET until = greatest(holdfast_released.until, excluded.until);
                END IF;
            END IF;

            IF is_busy AND left_place IS NOT NULL AND lock_waiters > 0 THEN
                SELECT w.id, w.place INTO first_id, first_place FROM holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = step_name AND w.seen <= now_at AND now_at < w.seen + ticket
                ORDER BY w.place LIMIT 1;
                IF first_place > left_place AND first_id <> step_id THEN
                    PERFORM pg_notify(in_channel, first_id || ' ' || step_name);
                END IF;
            END IF;
            IF is_moved THEN
                RAISE EXCEPTION 'the row of lock % was moved while it was locked', step_name USING ERRCODE = 'HF003';
            END IF;
            is_durable := is_durable OR answer = 'granted';
            RETURN NEXT;
        END;
    END LOOP;

    IF NOT is_durable THEN
        setting := set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        setting := set_config('synchronous_commit', 'on', true);
    END IF;
END
$$;

-- Carries out a batch of steps as holdfast_apply_v2 does (holdfast_ruled_v1 as holdfast_apply_v1 did), if the regime allows it: an
-- acquire in FALLBACK of the epoch, a renewal or a release in DRAIN as well. What it does not allow is answered with "deposed",
-- and nothing was done.
--
-- Promises: no change of the regime comes between the steps and the look at it. Tokens are greater than the regime's base. What
-- was done in DRAIN is on the disk when it is answered, releases too: an id that was given up must not be asserted after a
-- crash.
CREATE OR REPLACE FUNCTION holdfast_ruled_v2(
    in_namespace text,
    in_channel   text,
    in_patience  integer,
    in_kinds     text[],
    in_names     text[],
    in_ids       uuid[],
    in_lengths   bigint[],
    in_queues    boolean[],
    in_aboves    bigint[],
    in_owners    text[],
    in_remembers bigint[],
    in_bucket    integer,
    in_epoch     bigint
)
RETURNS TABLE (
    answer_step   bigint,
    answer        text,   -- as those of holdfast_apply_v2; deposed
    answer_number bigint,
    answer_micros bigint,
    answer_why    text    -- deposed: what the regime is
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    regime  record;
    allowed text[];
    steps   record;
BEGIN
    SELECT g.* INTO regime FROM holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
    allowed := CASE
        WHEN regime.epoch IS DISTINCT FROM in_epoch THEN '{}'
        WHEN regime.mode = 'FALLBACK' THEN '{acquire,renew,release}'
        WHEN regime.mode = 'DRAIN' THEN '{renew,release}'
        ELSE '{}'
    END;

    RETURN QUERY
        SELECT t.place, 'deposed', NULL::bigint, NULL::bigint, regime.evidence
        FROM unnest(in_kinds) WITH ORDINALITY AS t (kind, place)
        WHERE t.kind <> ALL (allowed);

    SELECT array_agg(t.place ORDER BY t.place) AS places, array_agg(t.kind ORDER BY t.place) AS kinds,
        array_agg(t.name ORDER BY t.place) AS names, array_agg(t.id ORDER BY t.place) AS ids,
        array_agg(t.length ORDER BY t.place) AS lengths, array_agg(t.queue ORDER BY t.place) AS queues,
        array_agg(greatest(t.above, regime.base) ORDER BY t.place) AS aboves,
        array_agg(t.owner ORDER BY t.place) AS owners, array_agg(t.remember ORDER BY t.place) AS remembers
    INTO steps
    FROM unnest(in_kinds, in_names, in_ids, in_lengths, in_queues, in_aboves, in_owners, in_remembers)
        WITH ORDINALITY AS t (kind, name, id, length, queue, above, owner, remember, place)
    WHERE t.kind = ANY (allowed);

    IF steps.places IS NOT NULL THEN
        RETURN QUERY
            SELECT steps.places[a.answer_step], a.answer, a.answer_number, a.answer_micros, NULL::text
            FROM holdfast_apply_v2(
                in_namespace, in_channel, in_patience, steps.kinds, steps.names, steps.ids, steps.lengths, steps.queues,
                steps.aboves, steps.owners, steps.remembers) a;
        IF regime.mode = 'DRAIN' THEN
            PERFORM holdfast_durably_v1();
        END IF;
    END IF;
END
$$;
