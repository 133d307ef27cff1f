-- Carries out a batch of steps in one round trip and one transaction, and answers each.
--
-- Promises: each step sees its lock's row locked and the clock as it was after that; rows are locked by name in the order
-- of their bytes, so that two batches never wait for each other; a batch with a grant or a renewal is on the disk when it is
-- answered, whatever the role's settings say, and so is one with a minimum hold; one of other releases only need not be:
-- losing it costs time, not the lock.
--
-- Every statement in here has a snapshot of its own (READ COMMITTED, VOLATILE), so what is read after the row lock was won
-- was committed before it, or by whoever had it before.
CREATE OR REPLACE FUNCTION holdfast_apply_v1(
    in_namespace text,
    in_patience  integer,  -- how long to wait for a row, in ms
    in_kinds     text[],   -- acquire, renew, release
    in_names     text[],
    in_ids       uuid[],
    in_lengths   bigint[], -- microseconds: of the lease; for a release the minimum hold
    in_aboves    bigint[], -- acquire: the token must be greater
    in_owners    text[],   -- acquire: who asks
    in_remembers bigint[]  -- release: microseconds to remember the id
)
RETURNS TABLE (
    answer_step   bigint,  -- which step, from 1
    answer        text,    -- granted, busy, gone, released, absent (nothing to release), exhausted (no token is left)
    answer_token  bigint,  -- granted: the token; exhausted: the last one
    answer_micros bigint   -- granted, busy: how long the lease or whatever is in the way still lasts
)
LANGUAGE plpgsql
VOLATILE
SET search_path FROM CURRENT
AS $$
DECLARE
    step      record;
    lock      record;
    now_at    timestamptz;
    kept_until timestamptz;
    is_busy   boolean;
    is_last   boolean;
    is_held   boolean;
    last      bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'Holdfast needs READ COMMITTED, this is %', current_setting('transaction_isolation')
            USING ERRCODE = 'HF001';
    END IF;
    PERFORM set_config('lock_timeout', in_patience::text, true);
    -- Only releases, and none that turns into an expiry: a minimum hold that was answered must not be lost.
    IF NOT in_kinds && ARRAY['acquire', 'renew'] AND 0 >= ALL (in_lengths) THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    ELSIF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;

    FOR step IN
        SELECT t.* FROM unnest(in_kinds, in_names, in_ids, in_lengths, in_aboves, in_owners, in_remembers)
            WITH ORDINALITY AS t (kind, name, id, length, above, owner, remember, place)
        ORDER BY t.name COLLATE "C", t.place
    LOOP
        LOOP
            SELECT l.token, l.id, l.since, l.until, l.state INTO lock FROM holdfast_lock l
            WHERE l.namespace = in_namespace AND l.name = step.name
            FOR UPDATE;
            -- A row is made for whatever leaves a trace; even a release does, if its acquire may still be under way and
            -- has to meet it here.
            EXIT WHEN FOUND OR step.kind = 'renew' OR (step.kind = 'release' AND step.remember = 0);
            INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state)
            VALUES (in_namespace, step.name, 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free')
            ON CONFLICT DO NOTHING;
        END LOOP;

        now_at := clock_timestamp();
        -- What is free stays so, even if the clock was set back.
        is_busy := coalesce(lock.state <> 'free' AND lock.until > now_at, false);
        is_last := lock.id IS NOT DISTINCT FROM step.id;
        is_held := is_last AND is_busy AND lock.state = 'held';
        answer_step := step.place;
        answer_token := NULL;
        answer_micros := NULL;

        IF step.kind = 'acquire' THEN
            IF is_held THEN
                answer := 'granted';
                answer_token := lock.token;
                answer_micros := floor(extract(epoch FROM lock.until - now_at) * 1000000);
            ELSIF is_last OR EXISTS (
                SELECT FROM holdfast_released r
                WHERE r.namespace = in_namespace AND r.name = step.name AND r.id = step.id AND r.until > now_at)
            THEN
                answer := 'gone';
            ELSIF is_busy THEN
                answer := 'busy';
                answer_micros := floor(extract(epoch FROM lock.until - now_at) * 1000000);
            ELSE
                SELECT greatest(max(f.token), lock.token, step.above) INTO last FROM holdfast_floor f;
                IF last >= 9007199254740991 THEN
                    answer := 'exhausted';
                    answer_token := last;
                ELSE
                    IF lock.state = 'held' THEN
                        -- Its holder died or stalled, and may still ask once more.
                        INSERT INTO holdfast_released (namespace, name, id, until)
                        VALUES (in_namespace, step.name, lock.id, now_at + step.length * interval '1 microsecond')
                        ON CONFLICT (namespace, name, id) DO UPDATE
                        SET until = greatest(holdfast_released.until, excluded.until);
                    END IF;
                    answer := 'granted';
                    answer_token := greatest(
                        last + 1,
                        least(floor(extract(epoch FROM now_at) * 1000000)::bigint, 9007199254740991));
                    answer_micros := step.length;
                    UPDATE holdfast_lock l
                    SET token = answer_token, id = step.id, owner = step.owner, since = now_at,
                        until = now_at + step.length * interval '1 microsecond', state = 'held'
                    WHERE l.namespace = in_namespace AND l.name = step.name;
                END IF;
            END IF;

        ELSIF step.kind = 'renew' THEN
            IF is_held THEN
                answer := 'granted';
                answer_token := lock.token;
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
                UPDATE holdfast_lock l
                SET until = greatest(now_at, kept_until), state = CASE WHEN kept_until > now_at THEN 'kept' ELSE 'free' END
                WHERE l.namespace = in_namespace AND l.name = step.name;
            ELSE
                answer := 'absent';
            END IF;
            IF step.remember > 0 THEN
                INSERT INTO holdfast_released (namespace, name, id, until)
                VALUES (in_namespace, step.name, step.id, now_at + step.remember * interval '1 microsecond')
                ON CONFLICT (namespace, name, id) DO UPDATE SET until = greatest(holdfast_released.until, excluded.until);
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
