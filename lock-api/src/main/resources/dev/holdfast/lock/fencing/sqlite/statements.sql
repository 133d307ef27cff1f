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
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = ''

-- name: create-floor
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, '', 0, 0, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))
ON CONFLICT (namespace, name) DO NOTHING

-- name: lock-floor
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = ''

-- name: raise-floor
UPDATE holdfast_fence
SET token = max(token, :token), entries = entries + 1,
    entered_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
WHERE namespace = :namespace AND name = ''

-- The rows of a few idle locks, the next ones in the order of their names. The transaction has the write lock.
-- name: lock-idle
SELECT name, token FROM holdfast_fence
WHERE namespace = :namespace AND name > :after
    AND entered_at < CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - :idle
ORDER BY name LIMIT :rows

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
