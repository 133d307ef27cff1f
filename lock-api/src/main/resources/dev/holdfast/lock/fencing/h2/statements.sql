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
SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace

-- name: read-greatest
SELECT max(token) FROM (
    SELECT token FROM holdfast_fence WHERE namespace = :namespace
    UNION ALL
    SELECT token FROM holdfast_fence_floor WHERE namespace = :namespace
) tokens

-- name: create-floor
INSERT INTO holdfast_fence_floor (namespace, token, created_at)
SELECT :namespace, 0, CURRENT_TIMESTAMP WHERE NOT EXISTS (SELECT 1 FROM holdfast_fence_floor WHERE namespace = :namespace)

-- In milliseconds since 1970.
-- name: read-clock
SELECT CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000) AS BIGINT)

-- The next few idle locks in the order of their names.
-- name: find-idle
SELECT name FROM holdfast_fence
WHERE namespace = :namespace AND name > :after AND entered_at < DATEADD(MILLISECOND, -:idle, CURRENT_TIMESTAMP)
    AND token BETWEEN :least AND :most
ORDER BY name LIMIT :rows

-- name: lock-floor
SELECT token FROM holdfast_fence_floor
WHERE namespace = :namespace AND created_at < DATEADD(MILLISECOND, -:idle, CURRENT_TIMESTAMP)
FOR UPDATE SKIP LOCKED

-- name: lock-idle
SELECT token FROM holdfast_fence
WHERE namespace = :namespace AND name = :name AND entered_at < DATEADD(MILLISECOND, -:idle, CURRENT_TIMESTAMP)
    AND token BETWEEN :least AND :most
FOR UPDATE SKIP LOCKED

-- name: raise-floor
UPDATE holdfast_fence_floor SET token = GREATEST(token, :token) WHERE namespace = :namespace

-- name: delete
DELETE FROM holdfast_fence WHERE namespace = :namespace AND name = :name
