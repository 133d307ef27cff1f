-- The statements of Fence in MariaDB and MySQL.

-- Raises the row of a lock and keeps it locked. As the first statement of a transaction it makes no snapshot: the first plain
-- SELECT does, when the row is locked. An UPDATE of a missing row, in place of the INSERT, would lock a gap and could deadlock.
-- name: raise
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, :name, :token, 1, UTC_TIMESTAMP(6))
ON DUPLICATE KEY UPDATE token = GREATEST(token, :token), entries = entries + 1, entered_at = UTC_TIMESTAMP(6)

-- The row as it is now, and the floor.
-- name: read-row
SELECT fence.token, fence.entries,
    (SELECT pruned.token FROM holdfast_fence pruned WHERE pruned.namespace = :namespace AND pruned.name = '')
FROM holdfast_fence fence WHERE fence.namespace = :namespace AND fence.name = :name

-- name: create-floor
INSERT IGNORE INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, '', 0, 0, UTC_TIMESTAMP(6))

-- name: lock-floor
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = '' FOR UPDATE

-- name: raise-floor
UPDATE holdfast_fence SET token = GREATEST(token, :token), entries = entries + 1, entered_at = UTC_TIMESTAMP(6)
WHERE namespace = :namespace AND name = ''

-- Locks the rows of a few idle locks, the next ones in the order of their names.
-- name: lock-idle
SELECT name, token FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < UTC_TIMESTAMP(6) - INTERVAL :idle * 1000 MICROSECOND
ORDER BY name LIMIT :rows FOR UPDATE SKIP LOCKED

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
