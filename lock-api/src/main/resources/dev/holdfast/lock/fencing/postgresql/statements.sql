-- The statements of Fence in PostgreSQL.

-- Raises the row of a lock and keeps it locked, also if the token is too small; then it returns nothing. From REPEATABLE READ on
-- PostgreSQL itself refuses a row that was written since the snapshot of the transaction (40001).
-- name: raise
INSERT INTO holdfast_fence AS fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, :name, :token, 1, clock_timestamp())
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, entries = fence.entries + 1, entered_at = excluded.entered_at
WHERE fence.token <= excluded.token
RETURNING entries

-- name: read-token
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = :name

-- In READ COMMITTED the row as it is now. From REPEATABLE READ on the lock makes it an error (40001) if the floor was raised since
-- the snapshot: then the row of the lock may have been pruned since, too.
-- name: read-floor
WITH locked AS (
    SELECT token FROM holdfast_fence
    WHERE namespace = :namespace AND name = ''
        AND current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
    FOR SHARE
)
SELECT token FROM locked
UNION ALL
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = ''

-- name: create-floor
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, '', 0, 0, clock_timestamp())
ON CONFLICT (namespace, name) DO NOTHING

-- name: lock-floor
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = '' FOR UPDATE

-- name: raise-floor
UPDATE holdfast_fence SET token = greatest(token, :token), entries = entries + 1, entered_at = clock_timestamp()
WHERE namespace = :namespace AND name = ''

-- Locks the rows of a few idle locks, the next ones in the order of their names.
-- name: lock-idle
SELECT name, token FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < clock_timestamp() - :idle * interval '1 millisecond'
ORDER BY name LIMIT :rows FOR UPDATE SKIP LOCKED

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
