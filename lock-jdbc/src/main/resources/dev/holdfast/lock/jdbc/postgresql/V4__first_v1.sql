-- Drops from the front of a lock's queue whoever has lost its place, and tells who is the first then.
--
-- Promises: whoever has not asked for a ticket's time is dropped; with in_asking also whoever had its chance at the free
-- lock and let it pass, but never that one itself. Who becomes the first that way has its whole chance from now on.
--
-- Called by whoever has the lock's row locked and keeps the count of the waiters in it.
CREATE OR REPLACE FUNCTION holdfast_first_v1(
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
SET search_path FROM CURRENT
AS $$
DECLARE
    ticket      CONSTANT interval := '15 seconds';
    reservation CONSTANT interval := '2 seconds';
    dead        integer;
    is_new      boolean;
BEGIN
    first_since := in_since;
    first_dropped := 0;
    LOOP
        -- A time in the future was written before the clock was set back.
        first_id := NULL;
        first_place := NULL;
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
