-- The statements of Fence in H2.

-- Raises the row of a lock, if there is one with such a token or a smaller one, and keeps it locked.
-- name: update
UPDATE holdfast_fence SET token = :token, entries = entries + 1, entered_at = CURRENT_TIMESTAMP
WHERE namespace = :namespace AND name = :name AND token <= :token

-- name: insert
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
VALUES (:namespace, :name, :token, 1, CURRENT_TIMESTAMP)

-- name: read-token
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = :name

-- name: read-floor
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = X''

-- name: create-floor
INSERT INTO holdfast_fence (namespace, name, token, entries, entered_at)
SELECT :namespace, X'', 0, 0, CURRENT_TIMESTAMP
WHERE NOT EXISTS (SELECT 1 FROM holdfast_fence WHERE namespace = :namespace AND name = X'')

-- name: lock-floor
SELECT token FROM holdfast_fence WHERE namespace = :namespace AND name = X'' FOR UPDATE

-- name: raise-floor
UPDATE holdfast_fence SET token = GREATEST(token, :token), entries = entries + 1, entered_at = CURRENT_TIMESTAMP
WHERE namespace = :namespace AND name = X''

-- Locks the rows of a few idle locks, the next ones in the order of their names.
-- name: lock-idle
SELECT name, token FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < DATEADD(MILLISECOND, -:idle, CURRENT_TIMESTAMP)
ORDER BY name LIMIT :rows FOR UPDATE SKIP LOCKED

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
