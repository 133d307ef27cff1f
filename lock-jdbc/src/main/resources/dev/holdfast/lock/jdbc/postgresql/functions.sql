-- The functions of Holdfast in PostgreSQL, after the tables. Run when a store is opened, or by hand with the search path that the
-- tables were created with, as their owner; running it twice does no harm.
--
-- The functions are created in the first schema of the current search path and are bound to the tables there: $schema stands for
-- that schema. They refer to nothing else but PostgreSQL's own objects, as their search path names no other schema: a role that
-- may create operators, functions or types in any schema cannot have them called with the rights of a role that uses a lock.
DO $make$
DECLARE
    version  CONSTANT integer := 1; -- of the tables, as the last of the scripts V*.sql writes it
    schema   CONSTANT text := pg_catalog.quote_ident(pg_catalog.current_schema()::pg_catalog.text);
    previous CONSTANT text := pg_catalog.current_setting('search_path');
    existing integer;
    owner    name;
    script   text;
BEGIN
    IF pg_catalog.to_regclass(schema || '.holdfast_schema') IS NULL THEN
        RAISE EXCEPTION 'there are no tables of Holdfast in the schema %: run V1__tables.sql first, with the same search path',
            coalesce(schema, 'that is the first of the search path');
    ELSIF pg_catalog.strpos(schema, '$$') > 0 THEN -- which would end a function
        RAISE EXCEPTION 'the schema of Holdfast must not have $$ in its name, as % has', schema;
    END IF;
    SELECT pg_catalog.pg_get_userbyid(c.relowner) INTO owner FROM pg_catalog.pg_class c
    WHERE c.oid = pg_catalog.to_regclass(schema || '.holdfast_schema')::pg_catalog.oid;
    IF owner <> current_user THEN
        RAISE EXCEPTION 'run functions.sql as the owner of the tables, %, instead of as %', owner, current_user;
    END IF;
    -- Locked, so that functions of two versions are created one after the other: the newer ones stay.
    EXECUTE 'SELECT s.version FROM ' || schema || '.holdfast_schema s FOR UPDATE' INTO existing;
    IF existing > version THEN
        RAISE EXCEPTION 'the tables of Holdfast in the schema % are of version %, these functions are of version %: use the newer '
            'ones', schema, existing, version;
    ELSIF existing IS DISTINCT FROM version THEN
        RAISE EXCEPTION 'the tables of Holdfast in the schema % are of version %, these functions need version %: run the scripts '
            'of the tables first', schema, existing, version;
    END IF;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true); -- for the types that are named below
    script := pg_catalog.replace($functions$

-- The fingerprint of the functions in a schema that belong to the owner of the tables: it changes when one of them is removed
-- or altered, and when the schema that they are bound to is renamed.
CREATE OR REPLACE FUNCTION $schema.holdfast_fingerprint(in_schema text)
RETURNS text
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT encode(sha256(convert_to(in_schema || string_agg(
        concat_ws(' ', p.proname, oidvectortypes(p.proargtypes), p.prosrc, p.proconfig::text, p.provolatile, p.prosecdef), ';'
        ORDER BY p.proname, oidvectortypes(p.proargtypes)), 'UTF8')), 'hex')
    FROM pg_class c JOIN pg_proc p ON p.pronamespace = c.relnamespace AND p.proowner = c.relowner
    WHERE c.oid = to_regclass(in_schema || '.holdfast_schema')::oid AND starts_with(p.proname, 'holdfast_')
$$;

-- A store calls it before it can tell which rights are missing; it reads only the catalog.
GRANT EXECUTE ON FUNCTION $schema.holdfast_fingerprint(text) TO PUBLIC;

-- Removes the waiters at the front of a lock's queue that have lost their place, and returns the first one left.
--
-- Guarantees: a waiter that has been silent for the waiter's time to live is removed. With in_asking, so is a waiter that let
-- its claim window at the free lock pass, but never the asking one itself. The waiter that becomes first gets a whole claim
-- window.
--
-- The caller has the lock's row locked and maintains the waiter count in it: holdfast_execute, whose planner settings apply here.
-- While no waiter is dead, nothing is searched for removal.
CREATE OR REPLACE FUNCTION $schema.holdfast_first_waiter(
    in_namespace text,
    in_name      text,
    in_now       timestamptz,
    in_since     timestamptz, -- since when the lock is reserved for the first
    in_asking    uuid,        -- the id that asks for the lock; null if none does
    OUT first_id       uuid,        -- null if the queue is empty
    OUT first_position bigint,
    OUT first_since    timestamptz, -- since when the lock is reserved for this waiter
    OUT first_removed  integer      -- how many waiters were removed
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    waiter_ttl   CONSTANT interval := '15 seconds';
    claim_window CONSTANT interval := '2 seconds';
    is_alive     boolean;
    dead         integer;
    is_new       boolean;
BEGIN
    first_since := in_since;
    first_removed := 0;
    LOOP
        -- A time in the future was written before the clock was set back.
        SELECT w.id, w.position, w.seen_at <= in_now AND in_now < w.seen_at + waiter_ttl
        INTO first_id, first_position, is_alive
        FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name
        ORDER BY w.position LIMIT 1;

        IF NOT is_alive THEN
            SELECT w.id, w.position INTO first_id, first_position FROM $schema.holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.seen_at <= in_now AND in_now < w.seen_at + waiter_ttl
            ORDER BY w.position LIMIT 1;

            -- Every waiter before the first living one is dead. One statement for all, as there may be thousands.
            WITH removed AS (
                DELETE FROM $schema.holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = in_name
                    AND w.position < coalesce(first_position, 9223372036854775807)
                RETURNING w.seen_at
            )
            -- A waiter that was dead before the lock became free was never the first of a free lock.
            SELECT count(*), coalesce(bool_or(r.seen_at + waiter_ttl > in_since), false) INTO dead, is_new FROM removed r;
            first_removed := first_removed + dead;
            IF is_new THEN
                first_since := in_now;
            END IF;
        END IF;

        EXIT WHEN first_id IS NULL OR in_asking IS NULL OR first_id = in_asking
            OR (in_now >= first_since AND in_now < first_since + claim_window);
        -- The claim window of the next living waiter begins now, so this happens at most once.
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.id = first_id;
        first_removed := first_removed + 1;
        first_since := in_now;
    END LOOP;
END
$$;

-- Until when a share does not fit beside those of a lock with the state shared, as they end without a command, and beside waiters
-- that have died since; null if it fits beside all of them.
CREATE OR REPLACE FUNCTION $schema.holdfast_share_fits_at(
    in_namespace    text,
    in_name         text,
    in_permits      bigint,
    in_permit_limit integer,
    in_dead         bigint[] -- the positions of the waiters
)
RETURNS timestamptz
LANGUAGE sql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT max(o.ends_at)
    FROM (
        SELECT e.ends_at, sum(e.permits) OVER later AS permits, min(e.permit_limit) OVER later AS permit_limit
        FROM (
            SELECT s.expires_at AS ends_at, s.permits, s.permit_limit
            FROM $schema.holdfast_share s
            WHERE s.namespace = in_namespace AND s.name = in_name
            UNION ALL
            SELECT w.seen_at + interval '15 seconds', w.permits, w.permit_limit
            FROM $schema.holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = ANY (in_dead)
        ) e
        WINDOW later AS (ORDER BY e.ends_at DESC) -- with all that end at the same time
    ) o
    WHERE o.permits + in_permits > least(o.permit_limit, in_permit_limit)
$$;

-- Reads the queue of a lock with the state shared as far as it is due, and notes when the claim windows of waiters that have become
-- due began. A waiter is due if its share fits beside those that are out and those of all living waiters before it; so those that
-- are due stand before all others. Removes the dead waiters among and behind those, up to the first living one that is not due.
--
-- The caller has the lock's row locked and maintains the waiter count in it: holdfast_execute_shared.
CREATE OR REPLACE FUNCTION $schema.holdfast_due_waiters(
    in_namespace text,
    in_name      text,
    in_now       timestamptz,
    in_has_left  boolean, -- whether a share or a waiter was removed since the last call: whatever is due by that is due from now
    OUT due            uuid[],      -- those that have become due
    OUT last_position  bigint,      -- of the last that is due; 0 if none is
    OUT earliest       timestamptz, -- when the earliest of their claim windows began
    OUT removed        integer,     -- how many waiters were removed
    OUT permits        bigint,      -- of the shares that are out and the waiters that are due, together
    OUT permit_limit   integer,     -- the least of theirs
    OUT blocked_id     uuid,        -- the first that is not due; null if all are
    OUT blocked_fits_at timestamptz -- if it is the first of the queue: when it will be due at the latest
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    waiter_ttl  CONSTANT interval := '15 seconds';
    waiter      record;
    dead        bigint[] := '{}'; -- positions
    own_permits bigint := 0;      -- of the waiters
    own_limit   integer := 2147483647;
    since       timestamptz;
BEGIN
    due := '{}';
    last_position := 0;
    SELECT coalesce(sum(s.permits), 0), coalesce(min(s.permit_limit), 2147483647) INTO permits, permit_limit
    FROM $schema.holdfast_share s
    WHERE s.namespace = in_namespace AND s.name = in_name AND s.expires_at > in_now;

    FOR waiter IN
        -- A time in the future was written before the clock was set back.
        SELECT w.position, w.id, w.permits, w.permit_limit, w.due_at, w.seen_at,
            w.seen_at <= in_now AND in_now < w.seen_at + waiter_ttl AS is_alive
        FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name
        ORDER BY w.position
    LOOP
        IF NOT waiter.is_alive THEN
            dead := array_append(dead, waiter.position);
            CONTINUE;
        END IF;
        own_permits := own_permits + waiter.permits;
        own_limit := least(own_limit, waiter.permit_limit);
        IF permits + waiter.permits > least(permit_limit, waiter.permit_limit) THEN
            blocked_id := waiter.id;
            IF last_position = 0 THEN
                blocked_fits_at := $schema.holdfast_share_fits_at(in_namespace, in_name, own_permits, own_limit, '{}');
            END IF;
            EXIT;
        END IF;
        permits := permits + waiter.permits;
        permit_limit := least(permit_limit, waiter.permit_limit);
        last_position := waiter.position;
        since := waiter.due_at;
        IF since IS NULL THEN
            IF NOT in_has_left THEN
                since := $schema.holdfast_share_fits_at(in_namespace, in_name, own_permits, own_limit, dead);
                IF dead <> '{}' THEN -- after the death of a waiter that was in its way, the next end of a share counts
                    SELECT min(s.expires_at) INTO since FROM $schema.holdfast_share s
                    WHERE s.namespace = in_namespace AND s.name = in_name AND s.expires_at BETWEEN since AND in_now;
                END IF;
            END IF;
            since := coalesce(since, in_now);
            UPDATE $schema.holdfast_waiter w SET due_at = since
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = waiter.position;
            due := array_append(due, waiter.id);
        END IF;
        earliest := least(earliest, since);
    END LOOP;

    removed := cardinality(dead);
    IF removed > 0 THEN
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = ANY (dead);
    END IF;
END
$$;

-- Moves the lease or the minimum hold of a lock that is not shared yet to the table of shares, where those that are left from an earlier
-- time counted no more. Returns false if that was discarded. The caller has the lock's row locked, and changes its state.
CREATE OR REPLACE FUNCTION $schema.holdfast_move_lease(in_namespace text, in_name text, in_is_free boolean)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM $schema.holdfast_share s WHERE s.namespace = in_namespace AND s.name = in_name;
    IF in_is_free THEN
        RETURN true;
    END IF;
    INSERT INTO $schema.holdfast_share (namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
    SELECT l.namespace, l.name, l.id, 1, 1, l.token, l.owner, l.granted_at, l.expires_at, l.state
    FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace AND l.name = in_name;
    RETURN FOUND;
END
$$;

-- Executes a command on a lock with the state shared, and an acquire of another share than 1 of 1 on any lock, which changes the
-- state. The lock keeps the state until no share is out and none waits, or until one of 1 of 1 is granted and no other kind waits: so
-- holdfast_execute itself needs to know of 1 of 1 only.
--
-- Guarantees: those of holdfast_execute. A share is granted if it fits beside those that are out and those of all living waiters
-- before it, whatever their kinds. Each waiter that is due has a claim window of its own. One that lets it pass is removed by the
-- next acquire of another id.
--
-- The caller has the lock's row locked: holdfast_execute, whose planner settings apply here.
CREATE OR REPLACE FUNCTION $schema.holdfast_execute_shared(
    in_namespace   text,
    in_name        text,
    in_now         timestamptz,
    in_kind        text,    -- this and the next ones are those of holdfast_execute
    in_id          uuid,
    in_duration    bigint,
    in_queue       boolean,
    in_token_floor bigint,
    in_owner       text,
    in_tombstone   bigint,
    OUT reply           text,
    OUT reply_number    bigint,
    OUT reply_micros    bigint,
    OUT notified        uuid[],  -- the waiters to notify
    OUT must_be_durable boolean,
    OUT is_moved        boolean  -- a change was discarded
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    waiter_ttl     CONSTANT interval := '15 seconds';
    claim_window   CONSTANT interval := '2 seconds';
    max_token      CONSTANT bigint := 9007199254740991;
    own_permits    CONSTANT integer := coalesce(nullif(split_part(in_kind, ' ', 2), '')::integer, 1);
    own_limit      CONSTANT integer := coalesce(nullif(split_part(in_kind, ' ', 3), '')::integer, 1);
    ends_at        CONSTANT timestamptz := in_now + in_duration * interval '1 microsecond';
    lock           record;
    own            record;  -- its share
    is_held        boolean;
    own_position   bigint;  -- of its living place in the queue
    is_alive       boolean;
    promoted       uuid;    -- the first waiter of a lock that becomes shared, if dead ones were before it
    before         record;  -- the queue as the command finds it
    queue          record;  -- as it leaves it
    waiters        integer;
    fits_at        timestamptz;
    lost           integer; -- how many let their claim windows pass
    hold_ends_at   timestamptz;
    last           bigint;
BEGIN
    notified := '{}';
    must_be_durable := false;
    is_moved := false;
    SELECT l.* INTO lock FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace AND l.name = in_name;
    waiters := lock.waiter_count;

    IF lock.state <> 'shared' THEN
        IF lock.id = in_id OR EXISTS (
            SELECT FROM $schema.holdfast_tombstone t
            WHERE t.namespace = in_namespace AND t.name = in_name AND t.id = in_id AND t.expires_at > in_now)
        THEN
            reply := 'gone';
            RETURN;
        ELSIF lock.state <> 'free' AND lock.expires_at > in_now AND NOT in_queue THEN
            reply := 'busy';
            reply_micros := floor(extract(epoch FROM lock.expires_at - in_now) * 1000000);
            RETURN;
        END IF;
        is_moved := NOT $schema.holdfast_move_lease(in_namespace, in_name, lock.state = 'free');
        IF waiters > 0 THEN
            UPDATE $schema.holdfast_waiter w SET due_at = NULL
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.due_at IS NOT NULL;
            IF lock.state = 'free' OR lock.expires_at <= in_now THEN
                SELECT f.* INTO before
                FROM $schema.holdfast_first_waiter(
                    in_namespace, in_name, in_now, greatest(lock.expires_at, lock.promoted_at), NULL) f;
                waiters := waiters - before.first_removed;
                IF before.first_removed > 0 THEN
                    promoted := before.first_id;
                END IF;
                UPDATE $schema.holdfast_waiter w SET due_at = before.first_since
                WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = before.first_position;
            END IF;
        END IF;
    END IF;

    SELECT s.* INTO own FROM $schema.holdfast_share s
    WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = in_id;
    is_held := coalesce(own.state = 'held' AND own.expires_at > in_now, false);

    IF in_kind = 'renew' THEN
        reply := 'gone';
        IF is_held THEN
            reply := 'granted';
            reply_number := own.token;
            own.expires_at := greatest(own.expires_at, ends_at);
            reply_micros := floor(extract(epoch FROM own.expires_at - in_now) * 1000000);
            UPDATE $schema.holdfast_share s SET expires_at = own.expires_at
            WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = in_id;
            is_moved := NOT FOUND;
            UPDATE $schema.holdfast_lock l SET expires_at = greatest(l.expires_at, own.expires_at)
            WHERE l.namespace = in_namespace AND l.name = in_name;
            is_moved := is_moved OR NOT FOUND;
        END IF;
        RETURN;
    ELSIF in_kind <> 'release' THEN
        IF is_held THEN
            reply := 'granted';
            reply_number := own.token;
            reply_micros := floor(extract(epoch FROM own.expires_at - in_now) * 1000000);
            RETURN;
        ELSIF own.id IS NOT NULL OR lock.id = in_id OR EXISTS (
            SELECT FROM $schema.holdfast_tombstone t
            WHERE t.namespace = in_namespace AND t.name = in_name AND t.id = in_id AND t.expires_at > in_now)
        THEN
            reply := 'gone';
            RETURN;
        END IF;
    END IF;

    SELECT q.* INTO before FROM $schema.holdfast_due_waiters(in_namespace, in_name, in_now, false) q;
    queue := before;
    notified := before.due;
    IF promoted IS NOT NULL THEN
        notified := array_append(notified, promoted);
    END IF;
    waiters := waiters - before.removed;
    IF waiters > 0 THEN
        SELECT w.position, w.seen_at <= in_now AND in_now < w.seen_at + waiter_ttl INTO own_position, is_alive
        FROM $schema.holdfast_waiter w WHERE w.namespace = in_namespace AND w.name = in_name AND w.id = in_id;
        IF own_position IS NOT NULL AND (in_kind = 'release' OR NOT is_alive) THEN
            DELETE FROM $schema.holdfast_waiter w
            WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = own_position;
            waiters := waiters - 1;
            own_position := CASE WHEN is_alive THEN own_position END;
        END IF;
    END IF;

    IF in_kind = 'release' THEN
        reply := CASE WHEN is_held THEN 'released' ELSE 'absent' END;
        -- In its minimum hold: the release that began it may not have been replied to from the disk yet.
        must_be_durable := coalesce(own.state = 'minimum_hold' AND own.expires_at > in_now, false);
        IF is_held THEN
            hold_ends_at := own.granted_at + in_duration * interval '1 microsecond';
            IF hold_ends_at > in_now THEN
                must_be_durable := true;
                UPDATE $schema.holdfast_share s SET state = 'minimum_hold', expires_at = hold_ends_at
                WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = in_id;
            ELSE
                DELETE FROM $schema.holdfast_share s
                WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = in_id;
            END IF;
            is_moved := NOT FOUND;
        END IF;
        IF in_tombstone > 0 THEN
            INSERT INTO $schema.holdfast_tombstone AS t (namespace, name, id, expires_at)
            VALUES (in_namespace, in_name, in_id, in_now + in_tombstone * interval '1 microsecond')
            ON CONFLICT (namespace, name, id) DO UPDATE SET expires_at = greatest(t.expires_at, excluded.expires_at);
            is_moved := is_moved OR NOT FOUND;
        END IF;
        IF waiters > 0 AND (is_held OR own_position IS NOT NULL) THEN
            SELECT q.* INTO queue FROM $schema.holdfast_due_waiters(in_namespace, in_name, in_now, true) q;
            waiters := waiters - queue.removed;
            notified := notified || queue.due;
            -- The first of the queue, which is not due, learns again when it will be, if that is another time than it was told.
            IF queue.last_position = 0 AND queue.blocked_id IS NOT NULL AND (
                queue.blocked_id <> before.blocked_id OR before.last_position > 0 OR hold_ends_at > in_now
                OR queue.blocked_fits_at < before.blocked_fits_at)
            THEN
                notified := array_append(notified, queue.blocked_id);
            END IF;
        END IF;
    ELSE
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.position <= before.last_position
            AND w.id <> in_id
            AND (in_now < w.due_at OR in_now >= w.due_at + claim_window);
        GET DIAGNOSTICS lost = ROW_COUNT;
        IF lost > 0 THEN
            SELECT q.* INTO queue FROM $schema.holdfast_due_waiters(in_namespace, in_name, in_now, true) q;
            waiters := waiters - lost - queue.removed;
            notified := notified || queue.due;
        END IF;

        IF own_position <= queue.last_position OR (
            own_position IS NULL AND queue.blocked_id IS NULL
            AND queue.permits + own_permits <= least(queue.permit_limit, own_limit))
        THEN
            last := greatest(lock.token, in_token_floor);
            IF lock.token = 0 THEN
                SELECT greatest(max(f.token), last) INTO last FROM $schema.holdfast_token_floor f WHERE f.singleton = 1;
            END IF;
            IF last >= max_token THEN
                reply := 'exhausted';
                reply_number := last;
            ELSE
                IF own_position IS NOT NULL THEN
                    DELETE FROM $schema.holdfast_waiter w
                    WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = own_position;
                    waiters := waiters - 1;
                END IF;
                -- Holders that died or stalled may still ask once more.
                WITH ended AS (
                    DELETE FROM $schema.holdfast_share s
                    WHERE s.namespace = in_namespace AND s.name = in_name AND s.expires_at <= in_now
                    RETURNING s.id, s.state
                )
                INSERT INTO $schema.holdfast_tombstone AS t (namespace, name, id, expires_at)
                SELECT in_namespace, in_name, e.id, ends_at FROM ended e WHERE e.state = 'held'
                ON CONFLICT (namespace, name, id) DO UPDATE SET expires_at = greatest(t.expires_at, excluded.expires_at);
                reply := 'granted';
                reply_number := greatest(last + 1, least(floor(extract(epoch FROM in_now) * 1000000)::bigint, max_token));
                reply_micros := in_duration;
                lock.state := 'shared';
                IF own_limit = 1 AND NOT EXISTS (
                    SELECT FROM $schema.holdfast_waiter w
                    WHERE w.namespace = in_namespace AND w.name = in_name AND w.permit_limit > 1)
                THEN
                    lock.state := 'held';
                ELSE
                    INSERT INTO $schema.holdfast_share (
                        namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
                    VALUES (
                        in_namespace, in_name, in_id, own_permits, own_limit, reply_number, in_owner, in_now, ends_at, 'held');
                    is_moved := is_moved OR NOT FOUND;
                END IF;
                UPDATE $schema.holdfast_lock l
                SET token = reply_number, id = in_id, owner = in_owner, granted_at = in_now, state = lock.state,
                    expires_at = CASE
                        WHEN lock.state = 'shared' AND l.state <> 'free' THEN greatest(l.expires_at, ends_at)
                        ELSE ends_at
                    END,
                    waiter_count = waiters, promoted_at = NULL
                WHERE l.namespace = in_namespace AND l.name = in_name;
                is_moved := is_moved OR NOT FOUND;
                notified := array_remove(notified, in_id);
                RETURN;
            END IF;
        ELSE
            reply := 'busy';
            fits_at := $schema.holdfast_share_fits_at(in_namespace, in_name, own_permits, own_limit, '{}');
            reply_micros := floor(extract(
                epoch FROM CASE WHEN fits_at > in_now THEN fits_at ELSE coalesce(queue.earliest, in_now) END - in_now) * 1000000);
            IF in_queue THEN
                reply := 'queued';
                IF own_position IS NOT NULL THEN
                    UPDATE $schema.holdfast_waiter w SET seen_at = in_now
                    WHERE w.namespace = in_namespace AND w.name = in_name AND w.position = own_position;
                ELSE
                    INSERT INTO $schema.holdfast_waiter AS i (
                        namespace, name, position, id, owner, seen_at, permits, permit_limit)
                    VALUES (
                        in_namespace, in_name,
                        1 + coalesce((
                            SELECT w.position FROM $schema.holdfast_waiter w
                            WHERE w.namespace = in_namespace AND w.name = in_name
                            ORDER BY w.position DESC LIMIT 1), 0),
                        in_id, in_owner, in_now, own_permits, own_limit)
                    RETURNING i.position INTO own_position;
                    is_moved := is_moved OR NOT FOUND;
                    waiters := waiters + 1;
                END IF;
                -- Behind a waiter for another share several may leave the queue at once, so that this one counts as the second.
                SELECT CASE WHEN max(w.permit_limit) > 1 THEN 1 ELSE least(count(*), 4) END INTO reply_number
                FROM $schema.holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = in_name AND w.position < own_position
                    AND w.seen_at <= in_now AND in_now < w.seen_at + waiter_ttl;
            END IF;
        END IF;
        notified := array_remove(notified, in_id);
    END IF;

    IF is_held OR waiters <> lock.waiter_count OR lock.state <> 'shared' THEN
        UPDATE $schema.holdfast_lock l
        SET expires_at = coalesce(o.expires_at, least(l.expires_at, in_now)), waiter_count = waiters, promoted_at = NULL,
            state = CASE WHEN o.shares = 0 AND waiters = 0 THEN 'free' ELSE 'shared' END
        FROM (
            SELECT count(*) AS shares, max(s.expires_at) FILTER (WHERE s.expires_at > in_now) AS expires_at
            FROM $schema.holdfast_share s WHERE s.namespace = in_namespace AND s.name = in_name
        ) o
        WHERE l.namespace = in_namespace AND l.name = in_name;
        is_moved := is_moved OR NOT FOUND;
    END IF;
END
$$;

-- Creates the rows of those locks that have none, in the byte order of the names.
--
-- Guarantees: a transaction that creates rows before it locks any, and locks rows in the byte order of the names, never deadlocks
-- with another one. It waits here only for rows that are not committed, in their order, while it holds only such rows; and later
-- only for committed rows, in their order. A row that is pruned after it was found here is an exception: it is created late, and
-- the server would end a deadlock.
--
-- The planner settings of the calling function apply here.
CREATE OR REPLACE FUNCTION $schema.holdfast_create_rows(in_namespace text, in_names text[])
RETURNS void
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO $schema.holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, waiter_count)
    SELECT in_namespace, t.name, 0, NULL, '', clock_timestamp(), clock_timestamp(), w.state, w.number
    FROM unnest(in_names) AS t (name)
    CROSS JOIN LATERAL ( -- of a row that was deleted by hand
        SELECT CASE WHEN max(w.permit_limit) > 1 THEN 'shared' ELSE 'free' END AS state, count(*) AS number
        FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = t.name
    ) w
    ORDER BY t.name COLLATE "C"
    ON CONFLICT DO NOTHING;
END
$$;

-- Executes a batch of commands in one round trip and one transaction, and replies to each.
--
-- Guarantees: each command sees its lock's row locked and reads the clock after that. Rows are created and locked in the byte
-- order of their names (see holdfast_create_rows), so two batches never deadlock. A grant, a renewal and a minimum hold are on the
-- disk when they are replied to, whatever the role's settings say. A batch without any of those need not be: losing a release, or
-- a place in the queue, costs time but not exclusion.
--
-- Most commands of a large batch are plain, and are decided together: all rows are locked by one statement, then one statement for
-- each kind of command decides and writes. The others, and all but the first on a name, are decided one after another, as those of
-- a small batch are. Plain is
--   an acquire of a free lock, by a new id, if the lock has no waiters, the id no tombstone, and a token is left;
--   a release by the holder without a tombstone, if the lock has no waiters and the minimum hold is over;
--   a renewal by the holder.
--
-- Every statement has a snapshot of its own (READ COMMITTED, VOLATILE), so whatever is read after the row lock was acquired was
-- committed before it, or by the transaction that held it before.
--
-- Every row is found through an index: sessions cache their plans, and a plan that was made while a table was empty has to work
-- when thousands wait. A locked row is found again by its ctid: no other transaction can move it until the end. If a trigger
-- moves it, or discards the change, the whole batch fails.
--
-- Every loop ends: a lock whose row can neither be read nor created, because row-level security or a trigger hides it, is
-- unavailable, and the other commands are executed.
--
-- A waiter whose turn has come is notified through in_channel, as "<id> <name>"; so is a waiter that has become the first in the
-- queue of a busy lock because another left it: it asks, and learns when its turn is. Without waiters nothing is notified, and
-- the queue is not even read. A commit that notifies blocks all other notifying commits of the server until it ends, which may
-- take as long as a disk or a standby does: the notifications of a batch that waits for those are returned to the caller,
-- which sends them afterwards.
--
-- The cost lies in the number of statements, which is kept as small as possible. A statement costs 10 microseconds and more; an
-- expression of PL/pgSQL costs half of one, at its first evaluation in a transaction. Plans are generic ones: a custom plan for a
-- few array elements would always seem cheaper, and would be made for each call.
CREATE OR REPLACE FUNCTION $schema.holdfast_execute(
    in_namespace     text,
    in_channel       text,      -- where the namespace's waiters listen; null if no waiter is to be notified
    in_lock_timeout  integer,   -- how long to wait for a row, in ms
    in_kinds         text[],    -- acquire, renew, release; "share K N": an acquire of K permits, at most N beside others
    in_names         text[],
    in_ids           uuid[],
    in_durations     bigint[],  -- microseconds: of the lease; for a release the minimum hold
    in_queues        boolean[], -- acquire: whether to wait in the queue
    in_token_floors  bigint[],  -- acquire: the token has to be greater
    in_owners        text[],    -- acquire: the description of the caller
    in_tombstones    bigint[]   -- release: microseconds for which the id must not be granted any more
)
RETURNS TABLE (
    reply_command bigint, -- which command, from 1; 0: a notification that the caller has to send through in_channel
    reply         text,   -- granted, queued, busy, gone, released, absent (nothing to release), exhausted (no token is left),
                          -- hidden (the lock's row can neither be read nor created); or the payload of the notification
    reply_number  bigint, -- granted: the token; queued: the number of waiters before, 4 for more; exhausted: the last token
    reply_micros  bigint  -- granted, queued, busy: how long the lease, or what blocks the lock, lasts; negative: for how long
                          -- the lock has been reserved for the first waiter
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    waiter_ttl    CONSTANT interval := '15 seconds';
    max_attempts  CONSTANT integer := 10; -- each but the first needs a row that was created and pruned meanwhile
    large         CONSTANT integer := 4; -- from how many commands on a batch is large: a smaller one costs less one by one
    setting       text;    -- assigned to, as a PERFORM costs more
    now_at        timestamptz;
    now_token     bigint;
    token_floor   bigint;  -- null unless rows were created
    created       text[];  -- the names of rows that a batch creates
    firsts        bigint[]; -- the first command on each name of a large batch, and the row of the name
    row_places    tid[];
    missing       text[];  -- the names that have no row
    decided       bigint[] := '{}'; -- the commands that were decided together
    places        bigint[] := '{1}'; -- the order in which the others are executed
    command       bigint;
    is_durable    boolean := false;
    notifications text[] := '{}';
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    setting := set_config('lock_timeout', in_lock_timeout::text, true);
    IF cardinality(in_names) <> 1 THEN
        IF NOT in_kinds <@ '{renew,release}' OR 0 < ANY (in_tombstones) THEN
            created := ARRAY(
                SELECT t.name FROM unnest(in_kinds, in_names, in_tombstones) AS t (kind, name, tombstone)
                WHERE (t.kind NOT IN ('renew', 'release') OR t.tombstone > 0) AND (
                    SELECT true FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace AND l.name = t.name) IS NULL);
            IF created <> '{}' THEN
                PERFORM $schema.holdfast_create_rows(in_namespace, created);
            END IF;
        END IF;

        IF cardinality(in_names) >= large THEN
            SELECT array_agg(c.command), array_agg(l.place), array_agg(c.name) FILTER (WHERE l.place IS NULL)
            INTO firsts, row_places, missing
            FROM (
                SELECT t.name, min(t.command) AS command
                FROM unnest(in_names) WITH ORDINALITY AS t (name, command)
                GROUP BY t.name
                ORDER BY t.name COLLATE "C"
            ) c
            LEFT JOIN LATERAL (
                SELECT l.ctid AS place FROM $schema.holdfast_lock l
                WHERE l.namespace = in_namespace AND l.name = c.name
                OFFSET 0
                FOR UPDATE
            ) l ON true;
            now_at := clock_timestamp();

            IF 'acquire' = ANY (in_kinds) THEN
                now_token := least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991);
                IF created <> '{}' THEN -- the tokens of rows that were pruned are not above it
                    SELECT max(f.token) INTO token_floor FROM $schema.holdfast_token_floor f WHERE f.singleton = 1;
                END IF;
                reply := 'granted';
                FOR reply_command, reply_number, reply_micros IN
                    UPDATE $schema.holdfast_lock l
                    SET token = greatest(
                            1 + greatest(l.token, in_token_floors[c.command], CASE WHEN l.token = 0 THEN token_floor END),
                            now_token),
                        id = in_ids[c.command], owner = in_owners[c.command], granted_at = now_at,
                        expires_at = now_at + in_durations[c.command] * interval '1 microsecond', state = 'held',
                        promoted_at = NULL
                    FROM unnest(firsts, row_places) AS c (command, place)
                    WHERE l.ctid = c.place AND in_kinds[c.command] = 'acquire'
                        AND l.state = 'free' AND l.id IS DISTINCT FROM in_ids[c.command] AND l.waiter_count = 0
                        AND (
                            SELECT true FROM $schema.holdfast_tombstone t
                            WHERE t.namespace = in_namespace AND t.name = l.name AND t.id = in_ids[c.command]
                                AND t.expires_at > now_at) IS NULL
                        AND (l.token > 0 OR token_floor IS NOT NULL)
                        AND greatest(l.token, in_token_floors[c.command], token_floor) < 9007199254740991
                    RETURNING c.command, l.token, in_durations[c.command]
                LOOP
                    decided := array_append(decided, reply_command);
                    RETURN NEXT;
                END LOOP;
            END IF;
            IF 'renew' = ANY (in_kinds) THEN
                reply := 'granted';
                FOR reply_command, reply_number, reply_micros IN
                    UPDATE $schema.holdfast_lock l
                    SET expires_at = greatest(l.expires_at, now_at + in_durations[c.command] * interval '1 microsecond')
                    FROM unnest(firsts, row_places) AS c (command, place)
                    WHERE l.ctid = c.place AND in_kinds[c.command] = 'renew'
                        AND l.state = 'held' AND l.id = in_ids[c.command] AND l.expires_at > now_at
                    RETURNING c.command, l.token, floor(extract(epoch FROM l.expires_at - now_at) * 1000000)::bigint
                LOOP
                    decided := array_append(decided, reply_command);
                    RETURN NEXT;
                END LOOP;
            END IF;
            is_durable := cardinality(decided) > 0;
            IF 'release' = ANY (in_kinds) THEN
                reply := 'released';
                reply_number := NULL;
                reply_micros := NULL;
                FOR reply_command IN
                    UPDATE $schema.holdfast_lock l SET expires_at = now_at, state = 'free'
                    FROM unnest(firsts, row_places) AS c (command, place)
                    WHERE l.ctid = c.place AND in_kinds[c.command] = 'release'
                        AND l.state = 'held' AND l.id = in_ids[c.command] AND l.expires_at > now_at AND l.waiter_count = 0
                        AND l.granted_at + in_durations[c.command] * interval '1 microsecond' <= now_at
                        AND in_tombstones[c.command] = 0
                    RETURNING c.command
                LOOP
                    decided := array_append(decided, reply_command);
                    RETURN NEXT;
                END LOOP;
            END IF;
        END IF;

        places := '{}';
        IF cardinality(decided) < cardinality(in_names) THEN
            places := ARRAY(
                SELECT t.place FROM unnest(in_names) WITH ORDINALITY AS t (name, place)
                WHERE t.place <> ALL (decided)
                ORDER BY t.name COLLATE "C", t.place);
        END IF;
    END IF;

    FOREACH command IN ARRAY places LOOP
        DECLARE -- all null at first
            command_name     CONSTANT text := in_names[command];
            command_id       CONSTANT uuid := in_ids[command];
            -- A command that writes anything creates the row; even a release does, if its acquire may still be in flight and has to
            -- meet it there.
            is_creating      CONSTANT boolean := in_kinds[command] NOT IN ('renew', 'release') OR in_tombstones[command] > 0;
            row_place        tid;     -- of the lock's row: stays the same while only this function writes to the row
            lock_token       bigint;
            lock_id          uuid;
            lock_granted_at  timestamptz;
            lock_expires_at  timestamptz;
            lock_state       text;
            lock_waiters     integer;
            lock_promoted_at timestamptz;
            hold_ends_at     timestamptz;
            is_busy          boolean;
            is_last          boolean;
            is_held          boolean;
            last             bigint;
            own_position     bigint;  -- of the command's id in the queue
            left_position    bigint;  -- the one that it had until now, and gave up or lost, while the lock is busy
            first_id         uuid;    -- the first in the queue, once the queue was read
            first_position   bigint;
            first_since      timestamptz;
            first_removed    integer;
            is_moved         boolean := false; -- the lock's row is not at its place any more, or a change was discarded
            attempts         integer := 0;
        BEGIN
            LOOP
                -- A row that the batch has not found must not be waited for any more.
                EXIT WHEN command_name = ANY (missing) AND NOT is_creating;
                SELECT l.ctid, l.token, l.id, l.granted_at, l.expires_at, l.state, l.waiter_count, l.promoted_at
                INTO row_place, lock_token, lock_id, lock_granted_at, lock_expires_at, lock_state, lock_waiters,
                    lock_promoted_at
                FROM $schema.holdfast_lock l
                WHERE l.namespace = in_namespace AND l.name = command_name
                FOR UPDATE;
                EXIT WHEN FOUND OR NOT is_creating OR attempts = max_attempts;
                attempts := attempts + 1;
                missing := array_remove(missing, command_name);
                -- As holdfast_create_rows does, for half the cost.
                INSERT INTO $schema.holdfast_lock (
                    namespace, name, token, id, owner, granted_at, expires_at, state, waiter_count)
                SELECT in_namespace, command_name, 0, NULL, '', clock_timestamp(), clock_timestamp(),
                    CASE WHEN max(w.permit_limit) > 1 THEN 'shared' ELSE 'free' END, count(*)
                FROM $schema.holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = command_name
                ON CONFLICT DO NOTHING;
            END LOOP;

            now_at := clock_timestamp();
            -- A free lock stays free, even if the clock was set back.
            is_busy := coalesce(lock_state <> 'free' AND lock_expires_at > now_at, false);
            is_last := lock_id IS NOT DISTINCT FROM command_id;
            is_held := is_last AND is_busy AND lock_state = 'held';
            reply_command := command;
            reply_number := NULL;
            reply_micros := NULL;

            -- One condition, as it costs.
            IF lock_state = 'shared' OR starts_with(in_kinds[command], 'share') OR (row_place IS NULL AND is_creating) THEN
                reply := 'hidden';
                IF row_place IS NOT NULL THEN
                    SELECT s.reply, s.reply_number, s.reply_micros, s.is_moved, is_durable OR s.must_be_durable,
                        notifications || ARRAY(SELECT n || ' ' || command_name FROM unnest(s.notified) n)
                    INTO reply, reply_number, reply_micros, is_moved, is_durable, notifications
                    FROM $schema.holdfast_execute_shared(
                        in_namespace, command_name, now_at, in_kinds[command], command_id, in_durations[command],
                        in_queues[command], in_token_floors[command], in_owners[command], in_tombstones[command]) s;
                END IF;

            ELSIF in_kinds[command] = 'acquire' THEN
                IF is_held THEN
                    reply := 'granted';
                    reply_number := lock_token;
                    reply_micros := floor(extract(epoch FROM lock_expires_at - now_at) * 1000000);
                ELSIF is_last OR EXISTS (
                    SELECT FROM $schema.holdfast_tombstone t
                    WHERE t.namespace = in_namespace AND t.name = command_name AND t.id = command_id AND t.expires_at > now_at)
                THEN
                    reply := 'gone';
                ELSE
                    IF NOT is_busy AND lock_waiters > 0 THEN
                        SELECT f.* INTO first_id, first_position, first_since, first_removed
                        FROM $schema.holdfast_first_waiter(
                            in_namespace, command_name, now_at, greatest(lock_expires_at, lock_promoted_at), command_id) f;
                        IF first_removed > 0 THEN
                            lock_waiters := lock_waiters - first_removed;
                            UPDATE $schema.holdfast_lock l
                            SET waiter_count = lock_waiters, promoted_at = first_since,
                                expires_at = least(lock_expires_at, now_at)
                            WHERE l.namespace = in_namespace AND l.name = command_name
                            RETURNING l.ctid INTO row_place;
                            is_moved := NOT FOUND;
                        END IF;
                    END IF;

                    IF is_busy OR (first_id IS NOT NULL AND first_id <> command_id) THEN
                        reply := 'busy';
                        reply_micros := floor(
                            extract(epoch FROM CASE WHEN is_busy THEN lock_expires_at ELSE first_since END - now_at) * 1000000);
                        IF in_queues[command] THEN
                            reply := 'queued';
                            IF lock_waiters > 0 THEN
                                -- A repetition keeps its position, unless it comes after the waiter's time to live.
                                UPDATE $schema.holdfast_waiter w SET seen_at = now_at
                                WHERE w.namespace = in_namespace AND w.name = command_name AND w.id = command_id
                                    AND w.seen_at <= now_at AND now_at < w.seen_at + waiter_ttl
                                RETURNING w.position INTO own_position;
                                IF own_position IS NULL THEN
                                    DELETE FROM $schema.holdfast_waiter w
                                    WHERE w.namespace = in_namespace AND w.name = command_name AND w.id = command_id
                                    RETURNING w.position INTO left_position;
                                END IF;
                            END IF;
                            IF own_position IS NULL THEN
                                INSERT INTO $schema.holdfast_waiter AS i (namespace, name, position, id, owner, seen_at)
                                VALUES (
                                    in_namespace, command_name,
                                    1 + coalesce((
                                        SELECT w.position FROM $schema.holdfast_waiter w
                                        WHERE w.namespace = in_namespace AND w.name = command_name
                                        ORDER BY w.position DESC LIMIT 1), 0),
                                    command_id, in_owners[command], now_at)
                                RETURNING i.position INTO own_position;
                                is_moved := is_moved OR NOT FOUND;
                                IF left_position IS NULL THEN
                                    UPDATE $schema.holdfast_lock l SET waiter_count = lock_waiters + 1
                                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = command_name;
                                    is_moved := is_moved OR NOT FOUND;
                                END IF;
                            END IF;
                            SELECT count(*) INTO reply_number FROM (
                                SELECT FROM $schema.holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = command_name AND w.position < own_position
                                    AND w.seen_at <= now_at AND now_at < w.seen_at + waiter_ttl
                                ORDER BY w.position LIMIT 4) w;
                        END IF;
                        IF first_removed > 0 THEN
                            notifications := array_append(notifications, first_id || ' ' || command_name);
                        END IF;
                    ELSE
                        last := greatest(lock_token, in_token_floors[command]);
                        IF lock_token = 0 THEN
                            -- A new row. The token of any other row is above all that its name ever had.
                            SELECT greatest(max(f.token), last) INTO last
                            FROM $schema.holdfast_token_floor f WHERE f.singleton = 1;
                        END IF;
                        IF last >= 9007199254740991 THEN
                            reply := 'exhausted';
                            reply_number := last;
                        ELSE
                            IF lock_state = 'held' THEN
                                -- The previous holder died or stalled, and may still ask once more.
                                INSERT INTO $schema.holdfast_tombstone AS t (namespace, name, id, expires_at)
                                VALUES (
                                    in_namespace, command_name, lock_id,
                                    now_at + in_durations[command] * interval '1 microsecond')
                                ON CONFLICT (namespace, name, id) DO UPDATE
                                SET expires_at = greatest(t.expires_at, excluded.expires_at);
                                is_moved := is_moved OR NOT FOUND;
                            END IF;
                            IF first_id IS NOT NULL THEN
                                DELETE FROM $schema.holdfast_waiter w
                                WHERE w.namespace = in_namespace AND w.name = command_name AND w.id = command_id;
                                lock_waiters := lock_waiters - 1;
                            END IF;
                            reply := 'granted';
                            reply_number := greatest(
                                last + 1,
                                least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991));
                            reply_micros := in_durations[command];
                            UPDATE $schema.holdfast_lock l
                            SET token = reply_number, id = command_id, owner = in_owners[command], granted_at = now_at,
                                expires_at = now_at + in_durations[command] * interval '1 microsecond', state = 'held',
                                waiter_count = lock_waiters, promoted_at = NULL
                            WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = command_name;
                            is_moved := is_moved OR NOT FOUND;
                        END IF;
                    END IF;
                END IF;

            ELSIF in_kinds[command] = 'renew' THEN
                IF is_held THEN
                    reply := 'granted';
                    reply_number := lock_token;
                    lock_expires_at := greatest(lock_expires_at, now_at + in_durations[command] * interval '1 microsecond');
                    reply_micros := floor(extract(epoch FROM lock_expires_at - now_at) * 1000000);
                    UPDATE $schema.holdfast_lock l SET expires_at = lock_expires_at
                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = command_name;
                    is_moved := is_moved OR NOT FOUND;
                ELSE
                    reply := 'gone';
                END IF;

            ELSE
                IF is_held THEN
                    reply := 'released';
                    hold_ends_at := lock_granted_at + in_durations[command] * interval '1 microsecond';
                    lock_expires_at := greatest(now_at, hold_ends_at);
                    lock_state := CASE WHEN hold_ends_at > now_at THEN 'minimum_hold' ELSE 'free' END;
                    is_durable := is_durable OR hold_ends_at > now_at;
                ELSE
                    reply := 'absent';
                    -- In its minimum hold: the release that began it may not have been replied to from the disk yet.
                    is_durable := is_durable OR (is_last AND is_busy);
                    IF lock_waiters > 0 THEN
                        DELETE FROM $schema.holdfast_waiter w
                        WHERE w.namespace = in_namespace AND w.name = command_name AND w.id = command_id
                        RETURNING w.position INTO own_position;
                        IF own_position IS NOT NULL THEN
                            lock_waiters := lock_waiters - 1;
                            left_position := own_position;
                        END IF;
                    END IF;
                END IF;
                -- The turn passes on: after a lease, or if the first in the queue of a free lock has left it.
                IF lock_waiters > 0 AND (is_held OR (own_position IS NOT NULL AND NOT is_busy)) THEN
                    SELECT f.* INTO first_id, first_position, first_since, first_removed
                    FROM $schema.holdfast_first_waiter(
                        in_namespace, command_name, now_at, greatest(lock_expires_at, lock_promoted_at), NULL) f;
                    lock_waiters := lock_waiters - first_removed;
                    IF first_removed > 0 THEN
                        lock_promoted_at := first_since;
                    END IF;
                    IF NOT is_held AND first_position > own_position THEN
                        lock_promoted_at := now_at;
                        lock_expires_at := least(lock_expires_at, now_at);
                    END IF;
                    IF first_id IS NOT NULL AND (is_held OR first_removed > 0 OR first_position > own_position) THEN
                        notifications := array_append(notifications, first_id || ' ' || command_name);
                    END IF;
                END IF;
                IF is_held OR own_position IS NOT NULL THEN
                    UPDATE $schema.holdfast_lock l
                    SET expires_at = lock_expires_at, state = lock_state, waiter_count = lock_waiters,
                        promoted_at = lock_promoted_at
                    WHERE l.ctid = row_place AND l.namespace = in_namespace AND l.name = command_name;
                    is_moved := is_moved OR NOT FOUND;
                END IF;
                IF in_tombstones[command] > 0 THEN
                    INSERT INTO $schema.holdfast_tombstone AS t (namespace, name, id, expires_at)
                    VALUES (
                        in_namespace, command_name, command_id,
                        now_at + in_tombstones[command] * interval '1 microsecond')
                    ON CONFLICT (namespace, name, id) DO UPDATE SET expires_at = greatest(t.expires_at, excluded.expires_at);
                    is_moved := is_moved OR NOT FOUND;
                END IF;
            END IF;

            IF is_busy AND left_position IS NOT NULL AND lock_waiters > 0 THEN
                SELECT w.id, w.position INTO first_id, first_position FROM $schema.holdfast_waiter w
                WHERE w.namespace = in_namespace AND w.name = command_name
                    AND w.seen_at <= now_at AND now_at < w.seen_at + waiter_ttl
                ORDER BY w.position LIMIT 1;
                IF first_position > left_position AND first_id <> command_id THEN
                    notifications := array_append(notifications, first_id || ' ' || command_name);
                END IF;
            END IF;
            IF is_moved THEN
                RAISE EXCEPTION
                    'a change for the lock % failed: row-level security or a trigger on a table of Holdfast discards changes or moves rows, and has to be removed',
                    command_name USING ERRCODE = 'HF003';
            END IF;
            is_durable := is_durable OR reply = 'granted';
            RETURN NEXT;
        END;
    END LOOP;

    IF NOT is_durable THEN
        setting := set_config('synchronous_commit', 'off', true);
    ELSE
        IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
            setting := set_config('synchronous_commit', 'on', true);
        END IF;
        IF current_setting('client_min_messages') = 'error' THEN -- see holdfast_commit_durably
            setting := set_config('client_min_messages', 'warning', true);
        END IF;
    END IF;
    IF notifications <> '{}' AND in_channel IS NOT NULL THEN
        reply_command := 0;
        reply_number := NULL;
        reply_micros := NULL;
        FOREACH reply IN ARRAY notifications LOOP
            IF is_durable THEN
                RETURN NEXT;
            ELSE
                PERFORM pg_notify(in_channel, reply);
            END IF;
        END LOOP;
    END IF;
END
$$;

-- Prunes the next few pages of the tables: rows of locks that are idle and have no living waiter, with the waiters that died;
-- waiters that died behind a busy lock; and expired tombstones. Returns how many rows of locks and tombstones were removed, and
-- when there is more to do.
--
-- All processes share the rounds through the tables: holdfast_token_floor has the next page, and each call continues there. So a
-- call takes the same time however large the tables are, no page is read twice in a round, and short-lived processes do their
-- part. Pages, not keys: an index of idle rows would have to be written with every grant and every release.
--
-- Guarantees: never waits, and blocks other transactions only briefly. The token floor rises in the same transaction, so a
-- transaction that creates a pruned row again, which waits for this one, reads a floor above every token that the row had.
CREATE OR REPLACE FUNCTION $schema.holdfast_prune(
    in_idle  bigint,  -- microseconds for which a lock must have been unused
    in_pause bigint,  -- microseconds from the end of a round to the next
    in_pages integer, -- how many pages of each table to read
    OUT removed integer,
    OUT rest    bigint   -- microseconds until there is something to do; 0: there is more to do at once
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off -- only these pages are read, and few rows of others by their keys
SET enable_bitmapscan = off
SET jit = off
AS $$
DECLARE
    waiter_gone_after CONSTANT interval := '1 minute';
    pause             CONSTANT interval := in_pause * interval '1 microsecond';
    now_at            timestamptz := clock_timestamp();
    -- One instant for all, even if the clock is changed meanwhile: a row whose waiters are removed has to go, too.
    used_after        CONSTANT timestamptz := now_at - in_idle * interval '1 microsecond';
    round_page        bigint;      -- the next page; 0: at the start of a round
    round_at          timestamptz; -- when a round may start
    last_page         bigint;
    from_row          tid;
    to_row            tid;
    places            tid[];
    lock              record;
    many              integer;
    highest           bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    PERFORM set_config('lock_timeout', '100', true); -- of a table that is being altered: rows are locked here meanwhile
    removed := 0;
    rest := in_pause;
    SELECT f.prune_page, f.prune_at INTO round_page, round_at FROM $schema.holdfast_token_floor f WHERE f.singleton = 1;
    IF round_page = 0 AND round_at > now_at AND round_at <= now_at + pause THEN
        rest := ceil(extract(epoch FROM round_at - now_at) * 1000000);
        RETURN;
    END IF;
    PERFORM set_config('synchronous_commit', 'off', true);
    SELECT f.prune_page, f.prune_at INTO round_page, round_at
    FROM $schema.holdfast_token_floor f WHERE f.singleton = 1 FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR (round_page = 0 AND round_at > now_at AND round_at <= now_at + pause) THEN
        RETURN; -- another process is pruning, or was just now
    END IF;
    SELECT max(pg_relation_size(t.typrelid)) / current_setting('block_size')::integer INTO last_page
    FROM pg_type t
    WHERE t.oid IN (pg_typeof(NULL::$schema.holdfast_lock)::oid, pg_typeof(NULL::$schema.holdfast_tombstone)::oid);
    from_row := format('(%s,0)', round_page)::tid;
    to_row := format('(%s,0)', round_page + in_pages)::tid;

    places := ARRAY(
        SELECT t.ctid FROM $schema.holdfast_tombstone t
        WHERE t.ctid >= from_row AND t.ctid < to_row AND t.expires_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED);
    DELETE FROM $schema.holdfast_tombstone t WHERE t.ctid = ANY (places) AND t.expires_at <= clock_timestamp();
    GET DIAGNOSTICS removed = ROW_COUNT;

    places := ARRAY(
        SELECT l.ctid FROM $schema.holdfast_lock l
        WHERE l.ctid >= from_row AND l.ctid < to_row AND l.expires_at < used_after
        FOR UPDATE SKIP LOCKED);
    -- Only now that the rows are locked: an older snapshot would miss a waiter that has come meanwhile.
    now_at := clock_timestamp();
    FOR lock IN
        SELECT l.ctid AS place, l.namespace, l.name FROM $schema.holdfast_lock l
        WHERE l.ctid = ANY (places) AND (l.waiter_count > 0 OR l.state = 'shared')
    LOOP
        PERFORM FROM $schema.holdfast_waiter w
        WHERE w.namespace = lock.namespace AND w.name = lock.name
            AND w.seen_at > now_at - interval '15 seconds' AND w.seen_at <= now_at
        LIMIT 1;
        IF FOUND THEN
            places := array_remove(places, lock.place);
        ELSE
            DELETE FROM $schema.holdfast_waiter w WHERE w.namespace = lock.namespace AND w.name = lock.name;
            DELETE FROM $schema.holdfast_share s WHERE s.namespace = lock.namespace AND s.name = lock.name;
        END IF;
    END LOOP;
    WITH gone AS (
        DELETE FROM $schema.holdfast_lock l WHERE l.ctid = ANY (places) AND l.expires_at < used_after RETURNING l.token
    )
    SELECT count(*), max(g.token) INTO many, highest FROM gone g;
    removed := removed + many;

    -- Only of busy locks: a command that asks for a free lock has to see that its first waiter died, as the claim window of the
    -- next begins then.
    FOR lock IN
        SELECT l.ctid AS place, l.namespace, l.name FROM $schema.holdfast_lock l
        WHERE l.ctid >= from_row AND l.ctid < to_row
            AND l.waiter_count > 0 AND l.state <> 'free' AND l.expires_at > clock_timestamp() AND (
                SELECT true FROM $schema.holdfast_waiter w
                WHERE w.namespace = l.namespace AND w.name = l.name
                    AND (w.seen_at < clock_timestamp() - waiter_gone_after OR w.seen_at > clock_timestamp())
                LIMIT 1)
        FOR UPDATE OF l SKIP LOCKED
    LOOP
        now_at := clock_timestamp(); -- as above
        DELETE FROM $schema.holdfast_waiter w
        WHERE w.namespace = lock.namespace AND w.name = lock.name
            AND (w.seen_at < now_at - waiter_gone_after OR w.seen_at > now_at);
        GET DIAGNOSTICS many = ROW_COUNT;
        IF many > 0 THEN
            UPDATE $schema.holdfast_lock l SET waiter_count = l.waiter_count - many WHERE l.ctid = lock.place;
        END IF;
    END LOOP;

    round_page := round_page + in_pages;
    IF round_page < last_page THEN
        rest := 0;
    ELSE
        round_page := 0;
        round_at := clock_timestamp() + pause;
    END IF;
    UPDATE $schema.holdfast_token_floor f
    SET token = greatest(f.token, highest), prune_page = round_page, prune_at = round_at
    WHERE f.singleton = 1;
    IF NOT FOUND THEN -- a token could be granted twice, and the round would never end
        RAISE EXCEPTION
            'row-level security or a trigger on the table holdfast_token_floor discards changes, and has to be removed'
            USING ERRCODE = 'HF003';
    END IF;
END
$$;

-- Makes the commit of this transaction durable: on the disk, and with synchronous standbys on theirs, before it is replied to,
-- whatever the role's settings say. Lets the caller see the warning that a cancelled wait for a standby leaves.
CREATE OR REPLACE FUNCTION $schema.holdfast_commit_durably()
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

-- Reads the authority state and locks it until the end of the transaction: shared, or exclusively to change it.
--
-- Guarantees: what is done under a state that was read here is committed, and visible to all, before any change of that state
-- begins; a transaction that comes after a change sees it. The lock is an advisory one, as a shared lock of the row itself would
-- make each transaction write to that row.
--
-- Why that holds: the function is VOLATILE and the isolation READ COMMITTED, so the row is read in a snapshot that was taken
-- after the lock was acquired. A transaction releases its locks only after others see what it committed; so an exclusive lock
-- sees all that was done under shared ones, and a shared lock sees the last change.
--
-- A crash undoes none of that: a change commits synchronously, and is on the disk, and with synchronous standbys on theirs,
-- before it becomes visible. A commit under it that is not synchronous (a refusal, a release) precedes in the log the change
-- that waited for it, and is on the disk with it at the latest.
--
-- A transaction that waits for the exclusive lock lets no later one pass, and in_lock_timeout ends every wait. This is always the
-- first lock that a transaction takes, so that it deadlocks with no other. Two namespaces with the same hash wait for each
-- other, with no further effect.
CREATE OR REPLACE FUNCTION $schema.holdfast_lock_authority_state(
    in_namespace    text,
    in_bucket       integer,
    in_lock_timeout integer, -- how long to wait for a lock, in ms
    in_exclusively  boolean,
    OUT epoch           bigint,  -- null if there is no authority state, and so the next ones
    OUT phase           text,
    OUT authority_lease bigint,
    OUT token_base      bigint,
    OUT changed_at      timestamptz,
    OUT description     text     -- describes all that, for people
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
    PERFORM set_config('lock_timeout', in_lock_timeout::text, true);
    IF in_exclusively THEN
        PERFORM pg_advisory_xact_lock(holdfast, place);
    ELSE
        PERFORM pg_advisory_xact_lock_shared(holdfast, place);
    END IF;
    SELECT s.epoch, s.phase, s.authority_lease, s.token_base, s.changed_at,
        format(
            'the authority state is %s of epoch %s since %s: %s',
            s.phase, s.epoch, date_trunc('second', s.changed_at), s.cause)
    INTO epoch, phase, authority_lease, token_base, changed_at, description
    FROM $schema.holdfast_authority_state s WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    description := coalesce(description, 'the namespace ' || in_namespace || ' has no authority state');
END
$$;

-- Executes a batch of commands as holdfast_execute does, as far as the authority state allows: an acquire in FALLBACK of the
-- epoch, a renewal or a release in DRAINING as well. Every other command has no effect and is replied to with "stale_term".
--
-- Guarantees: the authority state does not change between the check and the commands. Tokens are greater than the token base. In
-- DRAINING everything is on the disk when it is replied to, releases too: an id that was given up must not be asserted after a
-- crash.
CREATE OR REPLACE FUNCTION $schema.holdfast_execute_at_epoch(
    in_namespace    text,
    in_channel      text,
    in_lock_timeout integer,
    in_kinds        text[],
    in_names        text[],
    in_ids          uuid[],
    in_durations    bigint[],
    in_queues       boolean[],
    in_token_floors bigint[],
    in_owners       text[],
    in_tombstones   bigint[],
    in_bucket       integer,
    in_epoch        bigint
)
RETURNS TABLE (
    reply_command bigint,
    reply         text,   -- as those of holdfast_execute; stale_term
    reply_number  bigint,
    reply_micros  bigint,
    reply_cause   text    -- stale_term: a description of the authority state
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state    record;
    allowed  text[];
    commands record;
BEGIN
    SELECT s.* INTO state
    FROM $schema.holdfast_lock_authority_state(in_namespace, in_bucket, in_lock_timeout, false) s;
    allowed := CASE
        WHEN state.epoch IS DISTINCT FROM in_epoch THEN '{}'
        WHEN state.phase = 'FALLBACK' THEN '{acquire,share,renew,release}'
        WHEN state.phase = 'DRAINING' THEN '{renew,release}'
        ELSE '{}'
    END;

    RETURN QUERY
        SELECT t.place, 'stale_term', NULL::bigint, NULL::bigint, state.description
        FROM unnest(in_kinds) WITH ORDINALITY AS t (kind, place)
        WHERE split_part(t.kind, ' ', 1) <> ALL (allowed);

    SELECT array_agg(t.place ORDER BY t.place) AS places, array_agg(t.kind ORDER BY t.place) AS kinds,
        array_agg(t.name ORDER BY t.place) AS names, array_agg(t.id ORDER BY t.place) AS ids,
        array_agg(t.duration ORDER BY t.place) AS durations, array_agg(t.queue ORDER BY t.place) AS queues,
        array_agg(greatest(t.token_floor, state.token_base) ORDER BY t.place) AS token_floors,
        array_agg(t.owner ORDER BY t.place) AS owners, array_agg(t.tombstone ORDER BY t.place) AS tombstones
    INTO commands
    FROM unnest(in_kinds, in_names, in_ids, in_durations, in_queues, in_token_floors, in_owners, in_tombstones)
        WITH ORDINALITY AS t (kind, name, id, duration, queue, token_floor, owner, tombstone, place)
    WHERE split_part(t.kind, ' ', 1) = ANY (allowed);

    IF commands.places IS NOT NULL THEN
        RETURN QUERY
            SELECT coalesce(commands.places[e.reply_command], 0), e.reply, e.reply_number, e.reply_micros, NULL::text
            FROM $schema.holdfast_execute(
                -- In DRAINING no lock is granted; when that is over, all waiters are notified.
                in_namespace, CASE WHEN state.phase <> 'DRAINING' THEN in_channel END, in_lock_timeout,
                commands.kinds, commands.names, commands.ids, commands.durations, commands.queues,
                commands.token_floors, commands.owners, commands.tombstones) e;
        IF state.phase = 'DRAINING' THEN
            PERFORM $schema.holdfast_commit_durably();
        END IF;
    END IF;
END
$$;

-- The greatest token of a namespace: of its rows, the token floor and its authority state, including those that an active
-- primary may have granted.
--
-- Guarantees: one statement in one snapshot, so it misses no token that moves from a row to the token floor.
CREATE OR REPLACE FUNCTION $schema.holdfast_highest_token(in_namespace text, in_bucket integer)
RETURNS bigint
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT greatest(
        (SELECT max(l.token) FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace),
        (SELECT max(f.token) FROM $schema.holdfast_token_floor f),
        (
            SELECT s.token_base + CASE WHEN s.phase = 'PRIMARY' THEN 68719476736 ELSE 0 END -- 2^36
            FROM $schema.holdfast_authority_state s WHERE s.namespace = in_namespace AND s.bucket = in_bucket
        ),
        0)
$$;

-- Creates the first authority state of a namespace, FALLBACK of epoch 1, unless there is one; returns whether there is one now.
-- It creates none while stores that use this database alone hold, wait for, or keep in a minimum hold a lock of the namespace.
--
-- Guarantees: of any number of concurrent calls one creates it. A store that uses the database alone reads
-- holdfast_authority_state in the same statement that writes: one that is under way is waited for, and a later one finds the state.
CREATE OR REPLACE FUNCTION $schema.holdfast_initialize_authority_state(
    in_namespace       text,
    in_bucket          integer,
    in_lock_timeout    integer, -- how long to wait for a lock, in ms
    in_authority_lease bigint,  -- microseconds
    in_token_base      bigint   -- tokens are to be greater
)
RETURNS boolean
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    initializing CONSTANT bigint := 7525352680830498158; -- "holdfoun" in ASCII
    state  record;
    now_at timestamptz;
BEGIN
    -- One call at a time: two that have read the table would each wait for the other to lock it exclusively.
    PERFORM set_config('lock_timeout', in_lock_timeout::text, true);
    PERFORM pg_advisory_xact_lock(initializing);
    SELECT s.* INTO state
    FROM $schema.holdfast_lock_authority_state(in_namespace, in_bucket, in_lock_timeout, true) s;
    IF state.epoch IS NOT NULL THEN
        RETURN true;
    END IF;
    LOCK TABLE $schema.holdfast_authority_state IN ACCESS EXCLUSIVE MODE;
    now_at := clock_timestamp();
    IF EXISTS (
        SELECT FROM $schema.holdfast_lock l
        WHERE l.namespace = in_namespace AND l.state <> 'free' AND l.expires_at > now_at
    ) OR EXISTS (
        SELECT FROM $schema.holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.seen_at <= now_at AND now_at < w.seen_at + interval '15 seconds'
    ) THEN
        RETURN false;
    END IF;
    DELETE FROM $schema.holdfast_share s WHERE s.namespace = in_namespace; -- which have ended
    INSERT INTO $schema.holdfast_authority_state (
        namespace, bucket, epoch, phase, replication_id, authority_lease, token_base, failure_count, changed_at, cause)
    VALUES (
        in_namespace, in_bucket, 1, 'FALLBACK', '', in_authority_lease,
        greatest(
            in_token_base, floor(extract(epoch FROM now_at) * 1000000)::bigint,
            $schema.holdfast_highest_token(in_namespace, in_bucket)),
        0, now_at, 'initialized');
    PERFORM $schema.holdfast_commit_durably();
    RETURN true;
END
$$;

-- Changes the authority state, if it is the one that the transition starts from. The caller then notifies the waiters for locks in
-- this database, which ask again.
--
-- Guarantees: nothing that was done under the state before becomes visible after the change, which is on the disk when it is
-- replied to.
CREATE OR REPLACE FUNCTION $schema.holdfast_change_authority_state(
    in_namespace      text,
    in_bucket         integer,
    in_lock_timeout   integer, -- how long to wait for a lock, in ms
    in_transition     text,    -- drain_primary, activate_fallback, begin_failback, activate_primary, abort_failback
    in_epoch          bigint,  -- the epoch that it starts from
    in_replication_id text,    -- begin_failback: of the primary that is to be activated
    in_cause          text     -- for people; null to keep the previous one
)
RETURNS text -- changed; other: the state is another one; exhausted: too few tokens are left for a primary, so nothing changes
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tokens CONSTANT bigint := 68719476736; -- 2^36: how many a primary may grant
    needed text;
    state  record;
    now_at timestamptz;
    upto   bigint;
BEGIN
    SELECT s.* INTO state
    FROM $schema.holdfast_lock_authority_state(in_namespace, in_bucket, in_lock_timeout, true) s;
    needed := CASE in_transition
        WHEN 'drain_primary' THEN 'PRIMARY'
        WHEN 'activate_fallback' THEN 'DRAINING'
        WHEN 'begin_failback' THEN 'FALLBACK'
        ELSE 'FAILING_BACK'
    END;
    IF state.epoch IS DISTINCT FROM in_epoch OR state.phase <> needed THEN
        RETURN 'other';
    END IF;
    now_at := clock_timestamp();

    IF in_transition = 'drain_primary' THEN
        UPDATE $schema.holdfast_authority_state s
        SET epoch = s.epoch + 1, phase = 'DRAINING', replication_id = '', token_base = s.token_base + tokens,
            failure_count = CASE
                WHEN now_at < s.changed_at + 60 * s.authority_lease * interval '1 microsecond' THEN s.failure_count + 1
                ELSE 1
            END
        WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    ELSIF in_transition = 'activate_fallback' THEN
        UPDATE $schema.holdfast_authority_state s SET phase = 'FALLBACK'
        WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    ELSIF in_transition = 'begin_failback' THEN
        upto := $schema.holdfast_highest_token(in_namespace, in_bucket);
        IF upto + tokens > 9007199254740991 THEN
            RETURN 'exhausted';
        END IF;
        UPDATE $schema.holdfast_authority_state s
        SET epoch = s.epoch + 1, phase = 'FAILING_BACK', replication_id = in_replication_id, token_base = upto
        WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    ELSIF in_transition = 'activate_primary' THEN
        UPDATE $schema.holdfast_authority_state s SET phase = 'PRIMARY'
        WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
        -- In the order of holdfast_prune: the token floor, then the rows. They have been transferred; any that were left would
        -- block the leases that are asserted next time.
        UPDATE $schema.holdfast_token_floor f
        SET token = greatest(
            f.token, (SELECT max(l.token) FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace))
        WHERE f.singleton = 1;
        DELETE FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace;
        DELETE FROM $schema.holdfast_waiter w WHERE w.namespace = in_namespace;
        DELETE FROM $schema.holdfast_share s WHERE s.namespace = in_namespace;
        DELETE FROM $schema.holdfast_tombstone t WHERE t.namespace = in_namespace;
    ELSE
        UPDATE $schema.holdfast_authority_state s SET epoch = s.epoch + 1, phase = 'FALLBACK', replication_id = ''
        WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    END IF;
    UPDATE $schema.holdfast_authority_state s SET changed_at = now_at, cause = coalesce(in_cause, s.cause)
    WHERE s.namespace = in_namespace AND s.bucket = in_bucket;
    IF NOT FOUND THEN
        RAISE EXCEPTION
            'row-level security or a trigger on the table holdfast_authority_state discards changes, and has to be removed'
            USING ERRCODE = 'HF003';
    END IF;
    PERFORM $schema.holdfast_commit_durably();
    RETURN 'changed';
END
$$;

-- Takes over a lease of a lock that is shared, or becomes so by it: for holdfast_assert_leases, which has the lock's row locked, and
-- whose guarantees and planner settings apply here.
--
-- Guarantees: the leases of a lock that are held fit together. A minimum hold whose process missed a DRAINING may be in the way of
-- what was granted since. So a minimum hold counts only beside a single other lease: if the two do not fit together, it gives way to a
-- lease with a greater token, and excludes one with a lesser token, which had ended when the lease of the minimum hold was granted. Beside
-- several leases, minimum holds may take more than there is, and nothing is granted until they have ended.
--
-- The caller passes what is held from one lease of a lock to the next, so that many leases are not read again for each of them.
CREATE OR REPLACE FUNCTION $schema.holdfast_assert_share(
    in_namespace       text,
    in_name            text,
    in_now             timestamptz,
    in_id              uuid, -- this and the next ones are those of holdfast_assert_leases
    in_token           bigint,
    in_age             bigint,
    in_remaining       bigint,
    in_is_minimum_hold boolean,
    in_owner           text,
    in_permits         integer,
    in_permit_limit    integer,
    INOUT held_permits bigint,      -- of the leases that are held; null if that is unknown, or a minimum hold may last
    INOUT held_limit   integer,     -- the least of theirs
    OUT reply          text,
    OUT token          bigint,      -- granted: of the lease; null if a change was discarded
    OUT ends_at        timestamptz  -- granted: when it ends
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    asserted_end CONSTANT timestamptz := in_now + in_remaining * interval '1 microsecond';
    lock_state   text;
    own          record;
    fits         boolean := true;
    is_excluded  boolean := false;
    has_minimum_holds boolean := in_is_minimum_hold;
    yielding     uuid[] := '{}';
BEGIN
    reply := 'gone';
    SELECT l.state INTO lock_state FROM $schema.holdfast_lock l WHERE l.namespace = in_namespace AND l.name = in_name;
    IF lock_state = 'shared' THEN
        SELECT s.state, s.expires_at > in_now AS is_out INTO own FROM $schema.holdfast_share s
        WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = in_id;
    ELSE
        SELECT l.state, l.state <> 'free' AND l.expires_at > in_now AS is_out INTO own FROM $schema.holdfast_lock l
        WHERE l.namespace = in_namespace AND l.name = in_name AND l.id = in_id;
    END IF;

    IF own.is_out OR (own.state IS NOT NULL AND NOT in_is_minimum_hold) THEN
        IF NOT own.is_out OR (own.state <> 'held' AND NOT in_is_minimum_hold) THEN
            RETURN;
        END IF;
    ELSIF NOT in_is_minimum_hold AND EXISTS (
        -- However long ago: an id is never used again.
        SELECT FROM $schema.holdfast_tombstone t
        WHERE t.namespace = in_namespace AND t.name = in_name AND t.id = in_id)
    THEN
        RETURN;
    ELSE
        IF in_is_minimum_hold OR held_permits IS NULL THEN
            SELECT coalesce(sum(s.permits) FILTER (WHERE s.state = 'held'), 0),
                coalesce(min(s.permit_limit) FILTER (WHERE s.state = 'held'), in_permit_limit),
                coalesce(bool_or(s.state = 'held' OR s.token > in_token) FILTER (WHERE c.conflicts), false),
                coalesce(array_agg(s.id) FILTER (WHERE c.conflicts), '{}'),
                in_is_minimum_hold OR coalesce(bool_or(s.state <> 'held'), false)
            INTO held_permits, held_limit, is_excluded, yielding, has_minimum_holds
            FROM (
                SELECT s.id, s.permits, s.permit_limit, s.token, s.expires_at, s.state FROM $schema.holdfast_share s
                WHERE lock_state = 'shared' AND s.namespace = in_namespace AND s.name = in_name
                UNION ALL
                SELECT l.id, 1, 1, l.token, l.expires_at, l.state FROM $schema.holdfast_lock l
                WHERE l.namespace = in_namespace AND l.name = in_name AND l.state IN ('held', 'minimum_hold')
            ) s
            CROSS JOIN LATERAL (
                SELECT s.permits + in_permits > least(s.permit_limit, in_permit_limit) AS conflicts
            ) c
            WHERE s.expires_at > in_now;
        END IF;
        fits := NOT is_excluded AND (in_is_minimum_hold OR held_permits + in_permits <= least(held_limit, in_permit_limit));
        IF fits THEN
            held_permits := held_permits + in_permits;
            held_limit := least(held_limit, in_permit_limit);
        END IF;
    END IF;
    IF has_minimum_holds THEN
        held_permits := NULL;
    END IF;
    IF NOT fits THEN
        RETURN;
    END IF;

    reply := 'granted';
    IF lock_state <> 'shared' AND NOT $schema.holdfast_move_lease(in_namespace, in_name, lock_state = 'free') THEN
        RETURN;
    END IF;
    IF yielding <> '{}' THEN
        DELETE FROM $schema.holdfast_share s
        WHERE s.namespace = in_namespace AND s.name = in_name AND s.id = ANY (yielding);
    END IF;
    INSERT INTO $schema.holdfast_share AS s (
        namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
    VALUES (
        in_namespace, in_name, in_id, in_permits, in_permit_limit, in_token, in_owner,
        in_now - in_age * interval '1 microsecond', asserted_end,
        CASE WHEN in_is_minimum_hold THEN 'minimum_hold' ELSE 'held' END)
    ON CONFLICT (namespace, name, id) DO UPDATE
    SET state = excluded.state, expires_at = greatest(
        excluded.expires_at, CASE WHEN s.state = excluded.state THEN s.expires_at ELSE in_now END)
    RETURNING s.token, s.expires_at INTO token, ends_at;
    UPDATE $schema.holdfast_lock l
    SET state = 'shared', promoted_at = NULL, token = greatest(l.token, in_token),
        id = CASE WHEN l.token > in_token THEN l.id ELSE in_id END,
        expires_at = CASE
            WHEN has_minimum_holds THEN (
                SELECT max(s.expires_at) FROM $schema.holdfast_share s WHERE s.namespace = in_namespace AND s.name = in_name)
            WHEN lock_state = 'shared' THEN greatest(l.expires_at, ends_at)
            ELSE ends_at
        END
    WHERE l.namespace = in_namespace AND l.name = in_name;
    IF NOT FOUND THEN
        token := NULL;
    END IF;
END
$$;

-- Takes over leases of the previous epoch, in DRAINING of this one, each with its token and for its remaining time.
--
-- Guarantees: a lock that is held stays with its holder. A minimum hold gives way to a later grant, as a process that missed one
-- DRAINING asserts it in the next, when the lock may have another holder. An earlier assertion stands as it is, or longer. An id
-- that has been given up since, or whose time is over, gets nothing back: at most its minimum hold, if the lock is free. A
-- minimum hold means that its lease was released: a lock that is still held for that lease enters its minimum hold, for as long as
-- the release would have set. Several leases of a lock are taken over if they fit together: see holdfast_assert_share. Rows are locked
-- in the byte order of their names, as holdfast_execute does. What stands is on the disk when it is replied to.
CREATE OR REPLACE FUNCTION $schema.holdfast_assert_leases(
    in_namespace     text,
    in_bucket        integer,
    in_lock_timeout  integer,   -- how long to wait for a lock, in ms
    in_epoch         bigint,
    in_names         text[],
    in_ids           uuid[],
    in_tokens        bigint[],
    in_ages          bigint[],  -- microseconds since the grant
    in_remainings    bigint[],  -- microseconds that are left
    in_minimum_holds boolean[], -- whether the lease was released, and is in its minimum hold
    in_owners        text[],
    in_permits       integer[], -- this and the next: the share that the lease has
    in_permit_limits integer[]
)
RETURNS TABLE (
    reply_command bigint, -- which lease, from 1
    reply         text,   -- granted, gone, stale_term; hidden, as in holdfast_execute
    reply_number  bigint, -- granted: the token
    reply_micros  bigint, -- granted: how long it still lasts
    reply_cause   text    -- stale_term: a description of the authority state
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    max_attempts CONSTANT integer := 10; -- as in holdfast_execute
    state        record;
    lease        record;
    lock         record;
    now_at       timestamptz;
    is_busy      boolean;
    last_name    text := ''; -- of the lease before
    held_permits bigint;     -- of its lock: see holdfast_assert_share
    held_limit   integer;
BEGIN
    SELECT s.* INTO state
    FROM $schema.holdfast_lock_authority_state(in_namespace, in_bucket, in_lock_timeout, false) s;
    IF state.epoch IS DISTINCT FROM in_epoch OR state.phase <> 'DRAINING' THEN
        RETURN QUERY
            SELECT t.place, 'stale_term', NULL::bigint, NULL::bigint, state.description
            FROM unnest(in_names) WITH ORDINALITY AS t (name, place);
        RETURN;
    END IF;

    PERFORM $schema.holdfast_create_rows(in_namespace, in_names);
    FOR lease IN
        SELECT t.*
        FROM unnest(
            in_names, in_ids, in_tokens, in_ages, in_remainings, in_minimum_holds, in_owners, in_permits, in_permit_limits)
            WITH ORDINALITY AS t (name, id, token, age, remaining, is_minimum_hold, owner, permits, permit_limit, place)
        ORDER BY t.name COLLATE "C", t.place
    LOOP
        FOR attempt IN 1 .. max_attempts LOOP
            SELECT l.id, l.token, l.expires_at, l.state INTO lock FROM $schema.holdfast_lock l
            WHERE l.namespace = in_namespace AND l.name = lease.name
            FOR UPDATE;
            EXIT WHEN FOUND;
            PERFORM $schema.holdfast_create_rows(in_namespace, ARRAY[lease.name]);
        END LOOP;

        now_at := clock_timestamp();
        is_busy := lock.state <> 'free' AND lock.expires_at > now_at;
        reply_command := lease.place;
        reply := 'gone';
        reply_number := NULL;
        reply_micros := NULL;
        IF lock.token IS NULL THEN
            reply := 'hidden';
        ELSIF lock.state = 'shared' OR lease.permit_limit > 1 THEN
            IF lease.name <> last_name OR lock.state <> 'shared' THEN
                held_permits := NULL;
            END IF;
            SELECT s.reply, s.token, s.ends_at, s.held_permits, s.held_limit
            INTO reply, lock.token, lock.expires_at, held_permits, held_limit
            FROM $schema.holdfast_assert_share(
                in_namespace, lease.name, now_at, lease.id, lease.token, lease.age, lease.remaining, lease.is_minimum_hold,
                lease.owner, lease.permits, lease.permit_limit, held_permits, held_limit) s;
            last_name := lease.name;
        ELSIF lock.id = lease.id AND (is_busy OR NOT lease.is_minimum_hold) THEN
            IF is_busy AND (lock.state = 'held' OR lease.is_minimum_hold) THEN
                reply := 'granted';
                UPDATE $schema.holdfast_lock l
                SET expires_at = greatest(
                        CASE WHEN l.state = 'held' AND lease.is_minimum_hold THEN now_at ELSE l.expires_at END,
                        now_at + lease.remaining * interval '1 microsecond'),
                    state = CASE WHEN lease.is_minimum_hold THEN 'minimum_hold' ELSE l.state END
                WHERE l.namespace = in_namespace AND l.name = lease.name
                RETURNING l.token, l.expires_at INTO lock.token, lock.expires_at;
            END IF;
        ELSIF (NOT is_busy OR (lock.state = 'minimum_hold' AND lock.token < lease.token)) AND (
            lease.is_minimum_hold OR NOT EXISTS (
                -- However long ago: an id is never used again.
                SELECT FROM $schema.holdfast_tombstone t
                WHERE t.namespace = in_namespace AND t.name = lease.name AND t.id = lease.id))
        THEN
            reply := 'granted';
            UPDATE $schema.holdfast_lock l
            SET token = lease.token, id = lease.id, owner = lease.owner,
                granted_at = now_at - lease.age * interval '1 microsecond',
                expires_at = now_at + lease.remaining * interval '1 microsecond',
                state = CASE WHEN lease.is_minimum_hold THEN 'minimum_hold' ELSE 'held' END, promoted_at = NULL
            WHERE l.namespace = in_namespace AND l.name = lease.name
            RETURNING l.token, l.expires_at INTO lock.token, lock.expires_at;
        END IF;
        IF reply = 'granted' THEN
            IF lock.token IS NULL THEN -- nothing was updated
                RAISE EXCEPTION
                    'a change for the lock % failed: row-level security or a trigger on a table of Holdfast discards changes, and has to be removed',
                    lease.name USING ERRCODE = 'HF003';
            END IF;
            reply_number := lock.token;
            reply_micros := floor(extract(epoch FROM lock.expires_at - now_at) * 1000000);
        END IF;
        RETURN NEXT;
    END LOOP;
    PERFORM $schema.holdfast_commit_durably();
END
$$;

-- A page of the leases and minimum holds, in the byte order of the names, in FAILING_BACK of the epoch; in any other authority
-- state one row that describes the state.
--
-- Guarantees: includes everything that was granted before FAILING_BACK began, and of each lock all that it has at one instant: a page
-- is longer than its limit if its last lock has several leases.
CREATE OR REPLACE FUNCTION $schema.holdfast_list_leases(
    in_namespace    text,
    in_bucket       integer,
    in_lock_timeout integer, -- how long to wait for a lock, in ms
    in_epoch        bigint,
    in_after        text,    -- only greater names
    in_limit        integer
)
RETURNS TABLE (
    lease_name      text,
    lease_id        uuid,
    lease_token     bigint,
    lease_age       bigint,  -- microseconds since the grant
    lease_remaining bigint,  -- microseconds that are left
    is_minimum_hold boolean, -- whether the lease was released, and is in its minimum hold
    lease_owner     text,
    lease_permits   integer, -- this and the next: the share that it has
    lease_limit     integer,
    stale_cause     text     -- a description of the authority state, if it is another one; else null
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
SET enable_bitmapscan = off
AS $$
DECLARE
    state  record;
    now_at timestamptz;
BEGIN
    SELECT s.* INTO state
    FROM $schema.holdfast_lock_authority_state(in_namespace, in_bucket, in_lock_timeout, false) s;
    IF state.epoch IS DISTINCT FROM in_epoch OR state.phase <> 'FAILING_BACK' THEN
        stale_cause := state.description;
        RETURN NEXT;
        RETURN;
    END IF;
    now_at := clock_timestamp();
    RETURN QUERY
        SELECT r.name::text, r.id, r.token,
            greatest(0, floor(extract(epoch FROM now_at - r.granted_at) * 1000000))::bigint,
            ceil(extract(epoch FROM r.expires_at - now_at) * 1000000)::bigint,
            r.state = 'minimum_hold', r.owner, r.permits, r.permit_limit, NULL::text
        FROM (
            SELECT l.name, p.*
            FROM $schema.holdfast_lock l
            CROSS JOIN LATERAL (
                SELECT l.id, l.token, l.granted_at, l.expires_at, l.state, l.owner, 1 AS permits, 1 AS permit_limit
                WHERE l.state <> 'shared'
                UNION ALL
                SELECT s.id, s.token, s.granted_at, s.expires_at, s.state, s.owner, s.permits, s.permit_limit
                FROM $schema.holdfast_share s
                WHERE l.state = 'shared' AND s.namespace = l.namespace AND s.name = l.name
            ) p
            WHERE l.namespace = in_namespace AND l.name > in_after AND l.state <> 'free' AND l.expires_at > now_at
        ) r
        WHERE r.expires_at > now_at
        ORDER BY r.name
        FETCH FIRST (in_limit) ROWS WITH TIES;
END
$$;

-- The authority state of a namespace, with the number of its members: the processes that read it within the last half of an
-- authority lease. A living process reads it every third of one, and the vote of a dead one should not count for longer than it
-- must. No row if there is no authority state.
CREATE OR REPLACE FUNCTION $schema.holdfast_read_authority_state(in_namespace text, in_bucket integer)
RETURNS TABLE (
    epoch           bigint,
    phase           text,
    replication_id  text,
    authority_lease bigint, -- microseconds
    token_base      bigint,
    failure_count   integer,
    cause           text,
    changed_at      timestamptz,
    members         bigint,
    suspecting      bigint  -- how many of the members cannot reach the primary of this epoch
)
LANGUAGE sql
STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s.epoch, s.phase, s.replication_id, s.authority_lease, s.token_base, s.failure_count, s.cause, s.changed_at,
        count(m.id), count(m.id) FILTER (WHERE m.suspected_epoch = s.epoch)
    FROM $schema.holdfast_authority_state s
    LEFT JOIN $schema.holdfast_member m
        ON m.namespace = s.namespace AND m.bucket = s.bucket
            AND m.seen_at <= clock_timestamp()
            AND clock_timestamp() < m.seen_at + s.authority_lease / 2 * interval '1 microsecond'
    WHERE s.namespace = in_namespace AND s.bucket = in_bucket
    GROUP BY s.namespace, s.bucket
$$;

-- Writes the row of a member, and reads the authority state. A new member removes the rows of those that have not asked for long.
--
-- Guarantees: the authority state as it was after the call began. It is replied only once the member's row is on the disk, and with
-- synchronous standbys on theirs, and so is every change that the reply reflects: a former primary server that was cut off from
-- its standbys replies to nothing.
CREATE OR REPLACE FUNCTION $schema.holdfast_refresh_member(
    in_namespace       text,
    in_bucket          integer,
    in_lock_timeout    integer, -- how long to wait for a lock, in ms
    in_id              uuid,
    in_owner           text,
    in_suspected_epoch bigint   -- the epoch whose primary it cannot reach; 0 for none
)
RETURNS TABLE (
    epoch           bigint,
    phase           text,
    replication_id  text,
    authority_lease bigint,
    token_base      bigint,
    failure_count   integer,
    cause           text,
    changed_at      timestamptz,
    members         bigint,
    suspecting      bigint
)
LANGUAGE plpgsql
VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM set_config('lock_timeout', in_lock_timeout::text, true);
    UPDATE $schema.holdfast_member m
    SET owner = in_owner, suspected_epoch = in_suspected_epoch, seen_at = clock_timestamp()
    WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = in_id;
    IF NOT FOUND THEN
        INSERT INTO $schema.holdfast_member AS m (namespace, bucket, id, owner, suspected_epoch, seen_at)
        VALUES (in_namespace, in_bucket, in_id, in_owner, in_suspected_epoch, clock_timestamp())
        ON CONFLICT (namespace, bucket, id) DO UPDATE
        SET owner = excluded.owner, suspected_epoch = excluded.suspected_epoch, seen_at = excluded.seen_at;
        DELETE FROM $schema.holdfast_member m
        WHERE m.namespace = in_namespace AND m.bucket = in_bucket AND m.id = ANY (ARRAY(
            SELECT o.id FROM $schema.holdfast_member o
            WHERE o.namespace = in_namespace AND o.bucket = in_bucket
                AND o.seen_at < clock_timestamp() - interval '1 hour'
            FOR UPDATE SKIP LOCKED));
    END IF;
    PERFORM $schema.holdfast_commit_durably();
    RETURN QUERY SELECT s.* FROM $schema.holdfast_read_authority_state(in_namespace, in_bucket) s;
END
$$;

$functions$, pg_catalog.chr(13), ''); -- which a copy of this file may have at the ends of its lines
    EXECUTE pg_catalog.replace(script, '$schema', schema);
    EXECUTE pg_catalog.replace(
        'UPDATE $schema.holdfast_schema SET functions = $schema.holdfast_fingerprint($1), functions_script = $2', '$schema', schema)
    USING schema, encode(sha256(convert_to(script, 'UTF8')), 'hex');
    PERFORM pg_catalog.set_config('search_path', previous, true);
END
$make$;
