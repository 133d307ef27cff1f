-- The statements that differ on SQLite.

-- name: write-locks
-- Creates the row of a lock that has none: it was not created to be locked.
INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, promoted_at)
VALUES {each (:namespace, :name, :token, :id, :owner, :granted_at, :expires_at, :state, :promoted_at)}
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, id = excluded.id, owner = excluded.owner, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at, state = excluded.state, promoted_at = excluded.promoted_at

-- name: write-shares
INSERT INTO holdfast_share (namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
VALUES {each (:namespace, :name, :id, :permits, :permit_limit, :token, :owner, :granted_at, :expires_at, :state)}
ON CONFLICT (namespace, name, id) DO UPDATE
SET token = excluded.token, owner = excluded.owner, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at, state = excluded.state

-- name: write-waiters
INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at, permits, permit_limit, due_at)
VALUES {each (:namespace, :name, :position, :id, :owner, :seen_at, :permits, :permit_limit, :due_at)}
ON CONFLICT (namespace, name, id) DO UPDATE
SET position = excluded.position, owner = excluded.owner, seen_at = excluded.seen_at, due_at = excluded.due_at

-- name: write-tombstones
INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) VALUES {each (:namespace, :name, :id, :expires_at)}
ON CONFLICT (namespace, name, id) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)

-- name: read-first-waiters
-- Also of locks without a row, which was deleted by hand.
SELECT 'first' AS kind, w.namespace, w.name, w.id, w.position AS first_number, w.seen_at AS second_number
FROM (SELECT column1 AS namespace, column2 AS name FROM (VALUES {each (:namespace, :name)})) l
JOIN holdfast_waiter w ON w.namespace = l.namespace AND w.name = l.name
    AND w.position = (SELECT min(m.position) FROM holdfast_waiter m WHERE m.namespace = l.namespace AND m.name = l.name)
