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

-- Writes and locks nothing. In READ COMMITTED the floor as it is now. From REPEATABLE READ on the floor of the snapshot, after an
-- attempt to insert that row once more: it conflicts with the present row and does nothing, but is an error (40001) if the present
-- row is newer than the snapshot. Then the row of the lock may have been pruned since, too.
-- name: read-floor
WITH unchanged AS (
    INSERT INTO holdfast_fence_floor (namespace, token, created_at)
    SELECT namespace, token, created_at FROM holdfast_fence_floor
    WHERE namespace = :namespace AND current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
    ON CONFLICT (namespace) DO NOTHING
)
SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace

-- name: read-token
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = :name

-- name: read-greatest
SELECT max(token) FROM (
    SELECT token FROM holdfast_fence WHERE namespace = :namespace
    UNION ALL
    SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace
) tokens

-- name: create-floor
INSERT INTO holdfast_fence_floor (namespace, token, created_at) VALUES (:namespace, 0, clock_timestamp())
ON CONFLICT DO NOTHING

-- In milliseconds since 1970.
-- name: read-clock
SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)

-- The next few idle locks in the order of their names.
-- name: find-idle
SELECT name FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < clock_timestamp() - :idle * interval '1 millisecond'
    AND token BETWEEN :least AND :most
ORDER BY name LIMIT :rows

-- name: lock-floor
SELECT token FROM holdfast_fence_floor
WHERE namespace = :namespace AND created_at < clock_timestamp() - :idle * interval '1 millisecond'
FOR UPDATE SKIP LOCKED

-- name: lock-idle
SELECT token FROM holdfast_fence
WHERE namespace = :namespace AND name = :name AND entered_at < clock_timestamp() - :idle * interval '1 millisecond'
    AND token BETWEEN :least AND :most
FOR UPDATE SKIP LOCKED

-- name: raise-floor
UPDATE holdfast_fence_floor SET token = greatest(token, :token) WHERE namespace = :namespace

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
