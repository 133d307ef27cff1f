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
CREATE OR REPLACE FUNCTION holdfast_guard_v1(
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
SET search_path FROM CURRENT
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
    FROM holdfast_regime r WHERE r.namespace = in_namespace AND r.bucket = in_bucket;
    evidence := coalesce(evidence, 'there is no regime in the namespace ' || in_namespace);
END
$$;
