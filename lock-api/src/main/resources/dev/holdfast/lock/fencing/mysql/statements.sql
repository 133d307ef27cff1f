-- The statements of Fence in MariaDB and MySQL. None of those that enter is a consistent read in REPEATABLE READ or SERIALIZABLE: it
-- would make the snapshot of the transaction, and what another holder writes while a later entry waits would be missing in it.

-- Raises the row of a lock and keeps it locked. An UPDATE of a missing row, in place of the INSERT, would lock a gap and could
-- deadlock. A token that is too small changes nothing.
-- name: raise
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, :name, :token, 1, UTC_TIMESTAMP(6))
ON DUPLICATE KEY UPDATE
    entries = IF(token <= :token, entries + 1, entries),
    entered_at = IF(token <= :token, UTC_TIMESTAMP(6), entered_at),
    token = GREATEST(token, :token)

-- The row as it is now; the transaction has it locked already.
-- name: read-row
SELECT token, entries FROM holdfast_fence WHERE namespace = :namespace AND name = :name FOR UPDATE

-- In READ COMMITTED, where each statement has a snapshot of its own.
-- name: read-floor
SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace

-- From REPEATABLE READ on. Entries share the lock; pruning passes over it and does not wait.
-- name: read-floor-shared
SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace LOCK IN SHARE MODE

-- name: read-greatest
SELECT max(token) FROM (
    SELECT token FROM holdfast_fence WHERE namespace = :namespace
    UNION ALL
    SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace
) tokens

-- name: create-floor
INSERT IGNORE INTO holdfast_fence_floor (namespace, token, created_at) VALUES (:namespace, 0, UTC_TIMESTAMP(6))

-- In milliseconds since 1970.
-- name: read-clock
SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000

-- The next few idle locks in the order of their names.
-- name: find-idle
SELECT name FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < UTC_TIMESTAMP(6) - INTERVAL :idle * 1000 MICROSECOND
    AND token BETWEEN :least AND :most
ORDER BY name LIMIT :rows

-- name: lock-floor
SELECT token FROM holdfast_fence_floor
WHERE namespace = :namespace AND created_at < UTC_TIMESTAMP(6) - INTERVAL :idle * 1000 MICROSECOND
FOR UPDATE SKIP LOCKED

-- name: lock-idle
SELECT token FROM holdfast_fence
WHERE namespace = :namespace AND name = :name AND entered_at < UTC_TIMESTAMP(6) - INTERVAL :idle * 1000 MICROSECOND
    AND token BETWEEN :least AND :most
FOR UPDATE SKIP LOCKED

-- name: raise-floor
UPDATE holdfast_fence_floor SET token = GREATEST(token, :token) WHERE namespace = :namespace

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
