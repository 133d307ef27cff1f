-- The functions of Holdfast in PostgreSQL, after the tables. Run by Flyway, or by hand with the same search path as the tables;
-- running it twice does no harm.
--
-- They are made in the schema that is the first of the search path now, whose tables they are bound to: $schema stands for it.
-- Whatever else they refer to is PostgreSQL's own, as their search path names nothing else: who may create operators, functions
-- or types in that schema, or in any other, has none of them called with the rights of the role that uses a lock.
DO $make$
DECLARE
    schema   CONSTANT text := pg_catalog.quote_ident(pg_catalog.current_schema()::pg_catalog.text);
    previous CONSTANT text := pg_catalog.current_setting('search_path');
BEGIN
    IF pg_catalog.to_regclass(schema || '.holdfast_lock') IS NULL THEN
        RAISE EXCEPTION 'there are no tables of Holdfast in the schema %: run V1__tables.sql first, with the same search path',
            coalesce(schema, 'that is the first of the search path');
    ELSIF pg_catalog.strpos(schema, '$$') > 0 THEN -- which would end a function
        RAISE EXCEPTION 'the schema of Holdfast must not have $$ in its name, as % has', schema;
    END IF;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true); -- for the types that are named below
    EXECUTE pg_catalog.replace($functions$

-- Drops from the front of a lock's queue whoever has lost its place, and tells who is the first then.
--
-- Promises: whoever has not asked for a ticket's time is dropped; with in_asking also whoever had its chance at the free
-- lock and let it pass, but never that one itself. Who becomes the first that way has its whole chance from now on.
--
-- Called by whoever has the lock's row locked and keeps the count of the waiters in it: holdfast_apply_v1, with whose
-- settings for the planner it runs. Where nobody is dead, nothing is looked for to drop.
CREATE OR REPLACE FUNCTION $schema.holdfast_first_v1(
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
SET search_path = pg_catalog, pg_temp
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
        FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name
        ORDER BY w.place LIMIT 1;

        IF NOT is_alive THEN
            SELECT w.id, w.place INTO first_id, first_place FROM $schema.holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.seen <= in_now AND in_now < w.seen + ticket
            ORDER BY w.place LIMIT 1;

            -- Whoever is before the first of the living is dead. All in one statement: there may be thousands.
            WITH dropped AS (
                DELETE FROM $schema.holdfast_waiter w
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
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.id = first_id;
        first_dropped := first_dropped + 1;
        first_since := in_now;
    END LOOP;
END
$$;

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
-- when thousands wait. A row that is locked is found again at its place: nobody else can move it until the end; if a trigger
-- did, nothing of the batch is done.
--
-- Whoever's turn it has become is told through in_channel, as "<id> <name>"; so is whoever has become the first in the queue
-- of a busy lock because another left it: it asks, and learns when its turn is. Nobody is told where nobody waits, and the
-- queue is not even looked at. A commit that notifies keeps the whole server from notifying until it is over, which may take as
-- long as a disk or a standby does: the words of a batch that waits for those are answered, to be told after that.
--
-- What takes its time is statements, of which there are as few as may be: an expression takes a tenth of one at most.
CREATE OR REPLACE FUNCTION $schema.holdfast_apply_v1(
    in_namespace text,
    in_channel   text,      -- where the namespace's waiters listen; null if no waiter is to be told
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
    answer_step   bigint, -- which step, from 1; 0: what is still to be told through in_channel
    answer        text,   -- granted, waiting, busy, gone, released, absent (nothing to release), exhausted (no token is left);
                          -- or the words that are to be told
    answer_number bigint, -- granted: the token; waiting: how many wait before, 4 for more; exhausted: the last token
    answer_micros bigint  -- granted, waiting, busy: how long the lease or whatever is in the way still lasts; negative
                          -- since when the lock is kept for the first in the queue
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    ticket     CONSTANT interval := '15 seconds';
    setting    text;    -- assigned to, as a query of its own for that costs more
    places     bigint[] := '{1}'; -- which step comes when
    step       bigint;
    is_durable boolean := false;
    signals    text[] := '{}';
    signal     text;
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
                FROM $schema.holdfast_lock l
                WHERE l.namespace = in_namespace AND l.name = step_name
                FOR UPDATE;
                -- A row is made for whatever leaves a trace; even a release does, if its acquire may still be under way and
                -- has to meet it here.
                EXIT WHEN FOUND OR in_kinds[step] = 'renew' OR (in_kinds[step] = 'release' AND in_remembers[step] = 0);
                INSERT INTO $schema.holdfast_lock (namespace, name, token, id, owner, since, until, state, waiters)
                SELECT in_namespace, step_name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', count(*)
                FROM $schema.holdfast_waiter w WHERE w.namespace = in_namespace AND w.name = step_name -- of a row deleted by hand
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
                    SELECT FROM $schema.holdfast_released r
                    WHERE r.namespace = in_namespace AND r.name = step_name AND r.id = step_id AND r.until > now_at)
                THEN
                    answer := 'gone';
                ELSE
                    IF NOT is_busy AND lock_waiters > 0 THEN
                        SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM $schema.holdfast_first_v1(
                            in_namespace, step_name, now_at, greatest(lock_until, lock_promoted), step_id) f;
                        IF first_dropped > 0 THEN
                            lock_waiters := lock_waiters - first_dropped;
                            UPDATE $schema.holdfast_lock l
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
                                UPDATE $schema.holdfast_waiter w SET seen = now_at
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id
                                    AND w.seen <= now_at AND now_at < w.seen + ticket
                                RETURNING w.place INTO own_place;
                                IF own_place IS NULL THEN
                                    DELETE FROM $schema.holdfast_waiter w
                                    WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id
                                    RETURNING w.place INTO left_place;
                                END IF;
                            END IF;
                            IF own_place IS NULL THEN
                                INSERT INTO $schema.holdfast_waiter (namespace, name, place, id, owner, seen)
                                VALUES (
                                    in_namespace, step_name,
                                    1 + coalesce((
                                        SELECT w.place FROM $schema.holdfast_waiter w
                                        WHERE w.namespace = in_namespace AND w.name = step_name
                                        ORDER BY w.place DESC LIMIT 1), 0),
                                    step_id, in_owners[step], now_at)
                                RETURNING place INTO own_place;
                                IF left_place IS NULL THEN
                                    UPDATE $schema.holdfast_lock l SET waiters = lock_waiters + 1
                                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                                    is_moved := is_moved OR NOT FOUND;
                                END IF;
                            END IF;
                            SELECT count(*) INTO answer_number FROM (
                                SELECT FROM $schema.holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.place < own_place
                                    AND w.seen <= now_at AND now_at < w.seen + ticket
                                ORDER BY w.place LIMIT 4) w;
                        END IF;
                        IF first_dropped > 0 THEN
                            signals := array_append(signals, first_id || ' ' || step_name);
                        END IF;
                    ELSE
                        last := greatest(lock_token, in_aboves[step]);
                        IF lock_token = 0 THEN
                            -- A new row. Any other's token is above all that its name ever had.
                            SELECT greatest(max(f.token), last) INTO last FROM $schema.holdfast_floor f WHERE f.one = 1;
                        END IF;
                        IF last >= 9007199254740991 THEN
                            answer := 'exhausted';
                            answer_number := last;
                        ELSE
                            IF lock_state = 'held' THEN
                                -- Its holder died or stalled, and may still ask once more.
                                INSERT INTO $schema.holdfast_released AS r (namespace, name, id, until)
                                VALUES (in_namespace, step_name, lock_id, now_at + in_lengths[step] * interval '1 microsecond')
                                ON CONFLICT (namespace, name, id) DO UPDATE
                                SET until = greatest(r.until, excluded.until);
                            END IF;
                            IF first_id IS NOT NULL THEN
                                DELETE FROM $schema.holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = step_name AND w.id = step_id;
                                lock_waiters := lock_waiters - 1;
                            END IF;
                            answer := 'granted';
                            answer_number := greatest(
                                last + 1,
                                least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991));
                            answer_micros := in_lengths[step];
                            UPDATE $schema.holdfast_lock l
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
                    UPDATE $schema.holdfast_lock l SET until = lock_until
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
                    -- Kept for its minimum hold: that this is on the disk may not have been answered yet.
                    is_durable := is_durable OR (is_last AND is_busy);
                    IF lock_waiters > 0 THEN
                        DELETE FROM $schema.holdfast_waiter w
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
                    SELECT f.* INTO first_id, first_place, first_since, first_dropped FROM $schema.holdfast_first_v1(
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
                        signals := array_append(signals, first_id || ' ' || step_name);
                    END IF;
                END IF;
                IF is_held OR own_place IS NOT NULL THEN
                    UPDATE $schema.holdfast_lock l
                    SET until = lock_until, state = lock_state, waiters = lock_waiters, promoted = lock_promoted
                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = step_name;
                    is_moved := is_moved OR NOT FOUND;
                END IF;
                IF in_remembers[step] > 0 THEN
                    INSERT INTO $schema.holdfast_released AS r (namespace, name, id, until)
                    VALUES (in_namespace, step_name, step_id, now_at + in_remembers[step] * interval '1 microsecond')
                    ON CONFLICT (namespace, name, id) DO UPDATE SET until = greatest(r.until, excluded.until);
                END IF;
            END IF;

            IF is_busy AND left_place IS NOT NULL AND lock_waiters > 0 THEN
                SELECT w.id, w.place INTO first_id, first_place FROM $schema.holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = step_name AND w.seen <= now_at AND now_at < w.seen + ticket
                ORDER BY w.place LIMIT 1;
                IF first_place > left_place AND first_id <> step_id THEN
                    signals := array_append(signals, first_id || ' ' || step_name);
                END IF;
            END IF;
            IF is_moved THEN
                RAISE EXCEPTION 'the row of lock % was moved while it was locked', step_name USING ERRCODE = 'HF003';
            END IF;
            is_durable := is_durable OR answer = 'granted';
            RETURN NEXT;
        END;
    END LOOP;

    IF in_channel IS NULL THEN
        signals := '{}';
    END IF;
    IF NOT is_durable THEN
        setting := set_config('synchronous_commit', 'off', true);
        FOREACH signal IN ARRAY signals LOOP
            PERFORM pg_notify(in_channel, signal);
        END LOOP;
    ELSE
        IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
            setting := set_config('synchronous_commit', 'on', true);
        END IF;
        IF current_setting('client_min_messages') = 'error' THEN -- see holdfast_durably_v1
            setting := set_config('client_min_messages', 'warning', true);
        END IF;
        answer_step := 0;
        answer_number := NULL;
        answer_micros := NULL;
        FOREACH answer IN ARRAY signals LOOP
            RETURN NEXT;
        END LOOP;
    END IF;
END
$$;

-- Removes what nobody needs any more from the next few pages of the tables: rows of locks that nobody used for a while and
-- nobody waits for, with the waiters that died; waiters that died behind a lock that is busy; and ids whose time is over. Tells
-- how many rows of locks and ids there were, and when there is more to do.
--
-- Rounds through the tables are everybody's together: holdfast_floor has the place, and each call goes on from it. So a call takes
-- the same time however large the tables are, no page is looked at twice in a round, and processes that live for a moment do their
-- part. Pages, not keys: an index on what is idle would have to be written with every grant and every release.
--
-- Promises: waits for nobody and holds up nobody for long; the floor rises in the same transaction, so that whoever makes a
-- removed row anew, which takes until this transaction is over, reads a floor above every token that the row had.
CREATE OR REPLACE FUNCTION $schema.holdfast_prune_v1(
    in_idle  bigint,  -- microseconds for which nobody must have used a lock
    in_pause bigint,  -- microseconds from the end of a round to the next
    in_pages integer, -- how many pages of each table to look at
    OUT removed integer,
    OUT rest    bigint   -- microseconds until there is something to do; 0: there is more at once
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off -- nothing but these pages is read, and few rows of others by their keys
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
    gone_after CONSTANT interval := '1 minute';
    pause      CONSTANT interval := in_pause * interval '1 microsecond';
    now_at     timestamptz := clock_timestamp();
    -- One instant for all, whatever becomes of the clock meanwhile: a row whose waiters are removed has to go, too.
    used_after CONSTANT timestamptz := now_at - in_idle * interval '1 microsecond';
    round_page bigint;      -- where to go on; 0: a round begins
    round_at   timestamptz; -- when it may
    last_page  bigint;
    from_row   tid;
    to_row     tid;
    places     tid[];
    lock       record;
    many       integer;
    highest    bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    PERFORM set_config('lock_timeout', '100', true); -- of a table that somebody alters: while rows are locked here
    removed := 0;
    rest := in_pause;
    SELECT f.page, f.round INTO round_page, round_at FROM $schema.holdfast_floor f WHERE f.one = 1;
    IF round_page = 0 AND round_at > now_at AND round_at <= now_at + pause THEN
        rest := ceil(extract(epoch FROM round_at - now_at) * 1000000);
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT f.page, f.round INTO round_page, round_at FROM $schema.holdfast_floor f WHERE f.one = 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR (round_page = 0 AND round_at > now_at AND round_at <= now_at + pause) THEN
        RETURN; -- somebody else is at it, or was just now
    END IF;
    SELECT max(pg_relation_size(t.typrelid)) / current_setting('block_size')::integer INTO last_page
    FROM pg_type t
    WHERE t.oid IN (pg_typeof(NULL::$schema.holdfast_lock)::oid, pg_typeof(NULL::$schema.holdfast_released)::oid);
    from_row := format('(%s,0)', round_page)::tid;
    to_row := format('(%s,0)', round_page + in_pages)::tid;

    places := ARRAY(
        SELECT r.ctid FROM $schema.holdfast_released r
        WHERE r.ctid >= from_row AND r.ctid < to_row AND r.until <= clock_timestamp()
        FOR UPDATE SKIP LOCKED);
    DELETE FROM $schema.holdfast_released r WHERE r.ctid = ANY (places) AND r.until <= clock_timestamp();
    GET DIAGNOSTICS removed = ROW_COUNT;

    places := ARRAY(
        SELECT l.ctid FROM $schema.holdfast_lock l
        WHERE l.ctid >= from_row AND l.ctid < to_row AND l.until < used_after
        FOR UPDATE SKIP LOCKED);
    -- Only now that their rows are locked: a snapshot older than that would miss who has come to wait meanwhile.
    now_at := clock_timestamp();
    FOR lock IN
        SELECT l.ctid AS place, l.namespace, l.name FROM $schema.holdfast_lock l
        WHERE l.ctid = ANY (places) AND l.waiters > 0
    LOOP
        PERFORM FROM $schema.holdfast_waiter w
        WHERE w.namespace = lock.namespace AND w.name = lock.name
            AND w.seen > now_at - interval '15 seconds' AND w.seen <= now_at
        LIMIT 1;
        IF FOUND THEN
            places := array_remove(places, lock.place);
        ELSE
            DELETE FROM $schema.holdfast_waiter w WHERE w.namespace = lock.namespace AND w.name = lock.name;
        END IF;
    END LOOP;
    WITH gone AS (
        DELETE FROM $schema.holdfast_lock l WHERE l.ctid = ANY (places) AND l.until < used_after RETURNING l.token
    )
    SELECT count(*), max(g.token) INTO many, highest FROM gone g;
    removed := removed + many;

    -- Only of busy locks: whoever asks for a free one has to see who died as its first, as the next has its chance from then on.
    FOR lock IN
        SELECT l.ctid AS place, l.namespace, l.name FROM $schema.holdfast_lock l
        WHERE l.ctid >= from_row AND l.ctid < to_row
            AND l.waiters > 0 AND l.state <> 'free' AND l.until > clock_timestamp() AND (
                SELECT true FROM $schema.holdfast_waiter w
                WHERE w.namespace = l.namespace AND w.name = l.name
                    AND (w.seen < clock_timestamp() - gone_after OR w.seen > clock_timestamp())
                LIMIT 1)
        FOR UPDATE OF l SKIP LOCKED
    LOOP
        now_at := clock_timestamp(); -- as above
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = lock.namespace AND w.name = lock.name AND (w.seen < now_at - gone_after OR w.seen > now_at);
        GET DIAGNOSTICS many = ROW_COUNT;
        IF many > 0 THEN
            UPDATE $schema.holdfast_lock l SET waiters = l.waiters - many WHERE l.ctid = lock.place;
        END IF;
    END LOOP;

    round_page := round_page + in_pages;
    IF round_page < last_page THEN
        rest := 0;
    ELSE
        round_page := 0;
        round_at := clock_timestamp() + pause;
    END IF;
    UPDATE $schema.holdfast_floor f SET token = greatest(f.token, highest), page = round_page, round = round_at
    WHERE f.one = 1;
END
$$;

-- Sees to it that the transaction is on the disk, and with synchronous standbys on theirs, when it is answered, whatever the
-- role's settings say; and that the caller hears of it if the wait for a standby was cancelled, of which a warning tells.
CREATE OR REPLACE FUNCTION $schema.holdfast_durably_v1()
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    IF current_setting('client_min_messages') = 'error' THEN
        PERFORM set_config('client_min_messages', 'warning', true);
    END IF;
END
$$;

-- Reads the regime and keeps it as it is until the transaction is over: shared with others who do, or alone, to change it.
--
-- Promises: what is done under a regime that was read here is committed, and seen by everybody, before any change of that
-- regime begins; and whoever comes after a change sees it. The lock is an advisory one, as a shared lock of the row itself would
-- make each of them write to that row.
--
-- Why that holds: the function is VOLATILE and the isolation READ COMMITTED, so that the row is read in a snapshot that was
-- taken after the lock was won. A transaction gives its locks back only after others see what it committed; so whoever wins the
-- lock alone sees all that was done under it, and whoever shares it sees the last change.
--
-- A crash takes nothing of that back: a change commits synchronously, and is on the disk, and with synchronous standbys on
-- theirs, before anybody sees it. A commit under it that is not synchronous (a refusal, a release) stands in the log before the
-- change that waited for it, and is on the disk with it at the latest.
--
-- Who waits to be alone lets nobody by who comes later, and in_patience ends all waiting. It is always the first lock that a
-- transaction takes, so that nobody waits for it who has what another waits for. Two namespaces that share a hash wait for each
-- other, and suffer no more than that.
CREATE OR REPLACE FUNCTION $schema.holdfast_guard_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_alone     boolean,
    OUT epoch    bigint,  -- null if there is no regime, and so the next ones
    OUT mode     text,
    OUT lease    bigint,
    OUT base     bigint,
    OUT since    timestamptz,
    OUT evidence text     -- all that in words
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    holdfast CONSTANT integer := 1752132708; -- "hold" in ASCII
    place    CONSTANT integer := hashtext(in_namespace || ' ' || in_bucket);
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    PERFORM set_config('lock_timeout', in_patience::text, true);
    IF in_alone THEN
        PERFORM pg_advisory_xact_lock(holdfast, place);
    ELSE
        PERFORM pg_advisory_xact_lock_shared(holdfast, place);
    END IF;
    SELECT r.epoch, r.mode, r.lease, r.base, r.since,
        format('the regime is %s of epoch %s since %s: %s', r.mode, r.epoch, date_trunc('second', r.since), r.cause)
    INTO epoch, mode, lease, base, since, evidence
    FROM $schema.holdfast_regime r WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    evidence := coalesce(evidence, 'there is no regime in the namespace ' || in_namespace);
END
$$;

-- Carries out a batch of steps as holdfast_apply_v1 does, if the regime allows it: an acquire in FALLBACK of the epoch, a renewal
-- or a release in DRAIN as well. What it does not allow is answered with "deposed", and nothing was done.
--
-- Promises: no change of the regime comes between the steps and the look at it. Tokens are greater than the regime's base. What
-- was done in DRAIN is on the disk when it is answered, releases too: an id that was given up must not be asserted after a
-- crash.
CREATE OR REPLACE FUNCTION $schema.holdfast_ruled_v1(
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
    answer        text,   -- as those of holdfast_apply_v1; deposed
    answer_number bigint,
    answer_micros bigint,
    answer_why    text    -- deposed: what the regime is
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    regime  record;
    allowed text[];
    steps   record;
BEGIN
    SELECT g.* INTO regime FROM $schema.holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
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
            SELECT coalesce(steps.places[a.answer_step], 0), a.answer, a.answer_number, a.answer_micros, NULL::text
            FROM $schema.holdfast_apply_v1(
                -- In DRAIN no turn can be taken; when that is over, all waiters are told.
                in_namespace, CASE WHEN regime.mode <> 'DRAIN' THEN in_channel END, in_patience,
                steps.kinds, steps.names, steps.ids, steps.lengths, steps.queues,
                steps.aboves, steps.owners, steps.remembers) a;
        IF regime.mode = 'DRAIN' THEN
            PERFORM $schema.holdfast_durably_v1();
        END IF;
    END IF;
END
$$;

-- The greatest token of a namespace: of those that its rows, the floor and its regime tell of, or that a primary in power may
-- have granted.
--
-- Promises: one look in one snapshot, so that no token is missed that is on its way from a row to the floor.
CREATE OR REPLACE FUNCTION $schema.holdfast_highest_v1(in_namespace text, in_bucket integer)
RETURNS bigint
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT greatest(
        (SELECT max(l.token) FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace),
        (SELECT max(f.token) FROM $schema.holdfast_floor f),
        (
            SELECT r.base + CASE WHEN r.mode = 'PRIMARY' THEN 68719476736 ELSE 0 END -- 2^36
            FROM $schema.holdfast_regime r WHERE r.namespace = in_namespace AND r.bucket = in_bucket
        ),
        0)
$$;

-- Makes the first regime of a namespace, FALLBACK of epoch 1, unless there is one; tells whether there is one now. There is none
-- if a lock of the namespace is held, kept or waited for by those who use this database alone.
--
-- Promises: among any number who try at once one makes it. Whoever uses the database alone looks at holdfast_regime in the
-- statement that does something: who is in the middle of that is waited for, and who comes later finds the regime.
CREATE OR REPLACE FUNCTION $schema.holdfast_found_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_lease     bigint,  -- microseconds
    in_base      bigint   -- tokens are to be greater
)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    founding CONSTANT bigint := 7525352680830498158; -- "holdfoun" in ASCII
    regime record;
    now_at timestamptz;
BEGIN
    -- One founder at a time: of two that have looked into the table each would wait for the other to be alone with it.
    PERFORM set_config('lock_timeout', in_patience::text, true);
    PERFORM pg_advisory_xact_lock(founding);
    SELECT g.* INTO regime FROM $schema.holdfast_guard_v1(in_namespace, in_bucket, in_patience, true) g;
    IF regime.epoch IS NOT NULL THEN
        RETURN true;
    END IF;
    LOCK TABLE $schema.holdfast_regime IN ACCESS EXCLUSIVE MODE;
    now_at := clock_timestamp();
    IF EXISTS (
        SELECT FROM $schema.holdfast_lock l
        WHERE l.namespace = in_namespace AND l.state <> 'free' AND l.until > now_at
    ) OR EXISTS (
        SELECT FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.seen <= now_at AND now_at < w.seen + interval '15 seconds'
    ) THEN
        RETURN false;
    END IF;
    INSERT INTO $schema.holdfast_regime (namespace, bucket, epoch, mode, lineage, lease, base, falls, since, cause)
    VALUES (
        in_namespace, in_bucket, 1, 'FALLBACK', '', in_lease,
        greatest(
            in_base, floor(extract(epoch FROM now_at) * 1000000)::bigint,
            $schema.holdfast_highest_v1(in_namespace, in_bucket)),
        0, now_at, 'founded');
    PERFORM $schema.holdfast_durably_v1();
    RETURN true;
END
$$;

-- Changes the regime, if it is the one that the change starts from. Waiters for locks in this database are to be told after that to
-- ask again.
--
-- Promises: nothing that was done under the regime before comes to light after the change, which is on the disk when it is
-- answered.
CREATE OR REPLACE FUNCTION $schema.holdfast_change_v1(
    in_namespace text,
    in_bucket    integer,
    in_patience  integer, -- how long to wait for a lock, in ms
    in_kind      text,    -- depose, open, prepare, crown, burn
    in_epoch     bigint,  -- the epoch that it starts from
    in_lineage   text,    -- prepare: whose power is prepared
    in_cause     text     -- why, for people; null for no other reason than there was
)
RETURNS text -- made; other: so is the regime; exhausted: too few tokens are left for a primary, so that none is prepared
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tokens CONSTANT bigint := 68719476736; -- 2^36: how many a primary may grant
    needed text;
    regime record;
    now_at timestamptz;
    upto   bigint;
BEGIN
    SELECT g.* INTO regime FROM $schema.holdfast_guard_v1(in_namespace, in_bucket, in_patience, true) g;
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
        UPDATE $schema.holdfast_regime r
        SET epoch = r.epoch + 1, mode = 'DRAIN', lineage = '', base = r.base + tokens,
            falls = CASE
                WHEN now_at < r.since + 60 * r.lease * interval '1 microsecond' THEN r.falls + 1
                ELSE 1
            END
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'open' THEN
        UPDATE $schema.holdfast_regime r SET mode = 'FALLBACK'
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'prepare' THEN
        upto := $schema.holdfast_highest_v1(in_namespace, in_bucket);
        IF upto + tokens > 9007199254740991 THEN
            RETURN 'exhausted';
        END IF;
        UPDATE $schema.holdfast_regime r
        SET epoch = r.epoch + 1, mode = 'PREPARE', lineage = in_lineage, base = upto
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    ELSIF in_kind = 'crown' THEN
        UPDATE $schema.holdfast_regime r SET mode = 'PRIMARY'
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
        -- In the order of holdfast_prune_v1: the floor, then the rows. They have been copied; what were left of them would stand
        -- in the way of what is asserted next time.
        UPDATE $schema.holdfast_floor f
        SET token = greatest(
            f.token, (SELECT max(l.token) FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace))
        WHERE f.one = 1;
        DELETE FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace;
        DELETE FROM $schema.holdfast_waiter w WHERE w.namespace = in_namespace;
        DELETE FROM $schema.holdfast_released r WHERE r.namespace = in_namespace;
    ELSE
        UPDATE $schema.holdfast_regime r SET epoch = r.epoch + 1, mode = 'FALLBACK', lineage = ''
        WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    END IF;
    UPDATE $schema.holdfast_regime r SET since = now_at, cause = coalesce(in_cause, r.cause)
    WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    PERFORM $schema.holdfast_durably_v1();
    RETURN 'made';
END
$$;

-- Takes over grants of the epoch before, in DRAIN of this one, each with its token and for the time that it has left.
--
-- Promises: a lock that somebody has stays with that one; what is only kept for a minimum hold gives way to what was granted
-- later, as a process that missed a DRAIN asserts it in the next, when the lock may have become another's. What was asserted
-- before stands as it is, or longer; an id that has been given up since, or whose time was over, gets nothing back: at most its
-- minimum hold, if the lock is free. A minimum hold says that its lease was given back: what is still held for that lease is
-- kept from then on, for as long as the release would have kept it. Rows are locked by name in the order of their bytes, as
-- holdfast_apply_v1 does. What stands is on the disk when it is answered.
CREATE OR REPLACE FUNCTION $schema.holdfast_assert_v1(
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
SET search_path = pg_catalog, pg_temp
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
    SELECT g.* INTO regime FROM $schema.holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
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
            SELECT l.id, l.token, l.until, l.state INTO lock FROM $schema.holdfast_lock l
            WHERE l.namespace = in_namespace AND l.name = carried.name
            FOR UPDATE;
            EXIT WHEN FOUND;
            INSERT INTO $schema.holdfast_lock (namespace, name, token, id, owner, since, until, state, waiters)
            VALUES (in_namespace, carried.name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', 0)
            ON CONFLICT DO NOTHING;
        END LOOP;

        now_at := clock_timestamp();
        is_busy := lock.state <> 'free' AND lock.until > now_at;
        answer_step := carried.place;
        answer := 'gone';
        answer_number := NULL;
        answer_micros := NULL;
        IF lock.id = carried.id AND (is_busy OR NOT carried.is_kept) THEN
            IF is_busy AND (lock.state = 'held' OR carried.is_kept) THEN
                answer := 'granted';
                UPDATE $schema.holdfast_lock l
                SET until = greatest(
                        CASE WHEN l.state = 'held' AND carried.is_kept THEN now_at ELSE l.until END,
                        now_at + carried.remaining * interval '1 microsecond'),
                    state = CASE WHEN carried.is_kept THEN 'kept' ELSE l.state END
                WHERE l.namespace = in_namespace AND l.name = carried.name
                RETURNING l.token, l.until INTO lock.token, lock.until;
            END IF;
        ELSIF (NOT is_busy OR (lock.state = 'kept' AND lock.token < carried.token)) AND (
            carried.is_kept OR NOT EXISTS (
                -- However long ago: no id is used again.
                SELECT FROM $schema.holdfast_released r
                WHERE r.namespace = in_namespace AND r.name = carried.name AND r.id = carried.id))
        THEN
            answer := 'granted';
            UPDATE $schema.holdfast_lock l
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
    PERFORM $schema.holdfast_durably_v1();
END
$$;

-- A page of what is held or kept, in the order of the names' bytes, in PREPARE of the epoch; in any other regime one row that
-- says what the regime is.
--
-- Promises: whatever was granted before PREPARE began is seen.
CREATE OR REPLACE FUNCTION $schema.holdfast_held_v1(
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
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    regime record;
    now_at timestamptz;
BEGIN
    SELECT g.* INTO regime FROM $schema.holdfast_guard_v1(in_namespace, in_bucket, in_patience, false) g;
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
        FROM $schema.holdfast_lock l
        WHERE l.namespace = in_namespace AND l.name > in_after AND l.state <> 'free' AND l.until > now_at
        ORDER BY l.name
        LIMIT in_most;
END
$$;

-- The regime of a namespace, and who shares it: whoever read it within the last half of a regime lease. Everybody alive does, as
-- each reads every third of it; the voice of one that died should not count for longer than it must. No row if there is none.
CREATE OR REPLACE FUNCTION $schema.holdfast_reading_v1(in_namespace text, in_bucket integer)
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
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT r.epoch, r.mode, r.lineage, r.lease, r.base, r.falls, r.cause, r.since,
        count(m.id), count(m.id) FILTER (WHERE m.suspected = r.epoch)
    FROM $schema.holdfast_regime r
    LEFT JOIN $schema.holdfast_member m
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
CREATE OR REPLACE FUNCTION $schema.holdfast_read_v1(
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
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('lock_timeout', in_patience::text, true);
    UPDATE $schema.holdfast_member m SET owner = in_owner, suspected = in_suspected, seen = clock_timestamp()
    WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = in_id;
    IF NOT FOUND THEN
        INSERT INTO $schema.holdfast_member AS m (namespace, bucket, id, owner, suspected, seen)
        VALUES (in_namespace, in_bucket, in_id, in_owner, in_suspected, clock_timestamp())
        ON CONFLICT (namespace, bucket, id) DO UPDATE
        SET owner = excluded.owner, suspected = excluded.suspected, seen = excluded.seen;
        DELETE FROM $schema.holdfast_member m
        WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = ANY (ARRAY(
            SELECT o.id FROM $schema.holdfast_member o
            WHERE o.namespace = in_namespace AND o.bucket = in_bucket AND o.seen < clock_timestamp() - interval '1 hour'
            FOR UPDATE SKIP LOCKED));
    END IF;
    PERFORM $schema.holdfast_durably_v1();
    RETURN QUERY SELECT r.* FROM $schema.holdfast_reading_v1(in_namespace, in_bucket) r;
END
$$;

$functions$, '$schema', schema);
    PERFORM pg_catalog.set_config('search_path', previous, true);
END
$make$;
