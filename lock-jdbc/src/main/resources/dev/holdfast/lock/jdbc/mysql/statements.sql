-- The statements that differ on MariaDB and MySQL.

-- name: create-locks
-- Finds a duplicate with an exclusive lock at once: a plain INSERT takes a shared one, and two of them deadlock.
INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state)
VALUES {each (:namespace, :name, 0, '-', 0, 0, 'free')}
ON DUPLICATE KEY UPDATE token = token

-- name: write-locks
INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, promoted_at)
VALUES {each (:namespace, :name, :token, :id, :owner, :granted_at, :expires_at, :state, :promoted_at)}
ON DUPLICATE KEY UPDATE token = VALUES(token), id = VALUES(id), owner = VALUES(owner), granted_at = VALUES(granted_at),
    expires_at = VALUES(expires_at), state = VALUES(state), promoted_at = VALUES(promoted_at)

-- name: write-shares
INSERT INTO holdfast_share (namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
VALUES {each (:namespace, :name, :id, :permits, :permit_limit, :token, :owner, :granted_at, :expires_at, :state)}
ON DUPLICATE KEY UPDATE token = VALUES(token), owner = VALUES(owner), granted_at = VALUES(granted_at),
    expires_at = VALUES(expires_at), state = VALUES(state)

-- name: delete-shares
DELETE s FROM holdfast_share s {by key} WHERE (s.namespace, s.name, s.id) IN ({each (:namespace, :name, :id)})

-- name: write-waiters
INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at, permits, permit_limit, due_at)
VALUES {each (:namespace, :name, :position, :id, :owner, :seen_at, :permits, :permit_limit, :due_at)}
ON DUPLICATE KEY UPDATE position = VALUES(position), owner = VALUES(owner), seen_at = VALUES(seen_at), due_at = VALUES(due_at)

-- name: delete-waiters
-- In the syntax for several tables, as that of one takes no index hint: a scan would wait for rows of other transactions.
DELETE w FROM holdfast_waiter w {by key} WHERE (w.namespace, w.name, w.id) IN ({each (:namespace, :name, :id)})

-- name: write-tombstones
INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) VALUES {each (:namespace, :name, :id, :expires_at)}
ON DUPLICATE KEY UPDATE expires_at = GREATEST(expires_at, VALUES(expires_at))

-- name: delete-locks
DELETE l FROM holdfast_lock l {by key} WHERE (l.namespace, l.name) IN ({each (:namespace, :name)})

-- name: delete-tombstones
DELETE t FROM holdfast_tombstone t {by key} WHERE (t.namespace, t.name, t.id) IN ({each (:namespace, :name, :id)})

-- name: find-idle-locks
SELECT l.namespace, l.name, l.token, l.state FROM holdfast_lock l FORCE INDEX (holdfast_lock_expires_at)
WHERE l.expires_at < :idle_before AND NOT EXISTS (
    SELECT 1 FROM holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > :dead_since AND w.seen_at <= :now)
ORDER BY l.expires_at {limit} {skip locked}

-- name: find-old-tombstones
SELECT namespace, name, id FROM holdfast_tombstone FORCE INDEX (holdfast_tombstone_expires_at)
WHERE expires_at <= :now ORDER BY expires_at {limit} {skip locked}
