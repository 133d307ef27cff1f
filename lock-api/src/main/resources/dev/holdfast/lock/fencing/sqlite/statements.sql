-- The statements of Fence in SQLite.

-- Raises the row of a lock, and returns nothing if the token is too small. A transaction that writes first has the write lock of
-- the whole database from here on; one that has read before is refused if another has written since (SQLITE_BUSY_SNAPSHOT).
-- name: raise
INSERT INTO holdfast_fence AS fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, :name, :token, 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, entries = fence.entries + 1, entered_at = excluded.entered_at
WHERE fence.token <= excluded.token
RETURNING entries

-- name: read-token
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = :name

-- name: read-floor
SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace

-- name: read-greatest
SELECT max(token) FROM (
    SELECT token FROM holdfast_fence WHERE namespace = :namespace
    UNION ALL
    SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace
) tokens

-- name: create-floor
INSERT INTO holdfast_fence_floor (namespace, token, created_at)
VALUES (:namespace, 0, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)) ON CONFLICT DO NOTHING

-- In milliseconds since 1970.
-- name: read-clock
SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)

-- The next few idle locks in the order of their names.
-- name: find-idle
SELECT name FROM holdfast_fence
WHERE namespace = :namespace AND name > :after
    AND entered_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - :idle
    AND token BETWEEN :least AND :most
ORDER BY name LIMIT :rows

-- A write, so that the transaction has the write lock before it reads.
-- name: lock-floor
UPDATE holdfast_fence_floor SET token = token
WHERE namespace = :namespace AND created_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - :idle
RETURNING token

-- name: lock-idle
SELECT token FROM holdfast_fence
WHERE namespace = :namespace AND name = :name
    AND entered_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - :idle
    AND token BETWEEN :least AND :most

-- name: raise-floor
UPDATE holdfast_fence_floor SET token = max(token, :token) WHERE namespace = :namespace

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
