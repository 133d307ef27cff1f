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
    waiter      record;
    is_dead     boolean;
BEGIN
    first_since := in_since;
    first_dropped := 0;
    LOOP
        SELECT w.id, w.place, w.seen INTO waiter FROM holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name
        ORDER BY w.place LIMIT 1;
        EXIT WHEN NOT FOUND;
        -- A time in the future was written before the clock was set back.
        is_dead := in_now < waiter.seen OR in_now >= waiter.seen + ticket;
        IF NOT is_dead AND (in_asking IS NULL OR waiter.id = in_asking
            OR (in_now >= first_since AND in_now < first_since + reservation))
        THEN
            first_id := waiter.id;
            first_place := waiter.place;
            EXIT;
        END IF;
        DELETE FROM holdfast_waiter w
        WHERE w.namespace = in_namespace AND w.name = in_name AND w.id = waiter.id;
        first_dropped := first_dropped + 1;
        -- Whoever was dead before the lock became free was never the first of a free lock.
        IF NOT is_dead OR waiter.seen + ticket > in_since THEN
            first_since := in_now;
        END IF;
    END LOOP;
END
$$;
