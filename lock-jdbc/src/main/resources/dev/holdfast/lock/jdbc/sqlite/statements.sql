-- The statements of the store, each under its name.

-- name: find-tables
-- The tables of Holdfast that are there, and the history of Flyway.
SELECT name FROM sqlite_master
WHERE type = 'table' AND name IN (
    'holdfast_schema', 'holdfast_lock', 'holdfast_waiter', 'holdfast_tombstone', 'holdfast_token_floor', 'holdfast_history')

-- name: find-version
SELECT max(version) FROM holdfast_schema

-- name: find-lock
SELECT token, id, granted_at, expires_at, state, promoted_at FROM holdfast_lock WHERE namespace = ? AND name = ?

-- name: find-token-floor
SELECT coalesce(max(token), 0) FROM holdfast_token_floor

-- name: raise-token-floor
-- Keeps the tokens rising for names whose rows are pruned.
UPDATE holdfast_token_floor SET token = max(token, ?)

-- name: grant
-- Grants a free lock to an id, with a token greater than every earlier one.
INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state)
VALUES (?, ?, ?, ?, ?, ?, ?, 'held')
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, id = excluded.id, owner = excluded.owner, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at, state = excluded.state, promoted_at = NULL

-- name: renew
-- Moves the end of a lease that has not expired.
UPDATE holdfast_lock SET expires_at = ? WHERE namespace = ? AND name = ?

-- name: release
-- Ends the lease of the row's id; the lock is busy until the end of its minimum hold, or free at once.
UPDATE holdfast_lock SET expires_at = ?, state = ?, promoted_at = NULL WHERE namespace = ? AND name = ?

-- name: promote-waiter
-- Records since when a free lock is reserved for its first waiter, which was not the first when the lock became free.
UPDATE holdfast_lock SET promoted_at = ?, expires_at = min(expires_at, ?) WHERE namespace = ? AND name = ?

-- name: promote-waiter-of-busy-lock
-- Records that the queue of a busy lock has a new first waiter, which is notified by this.
UPDATE holdfast_lock SET promoted_at = ? WHERE namespace = ? AND name = ?

-- name: add-tombstone
-- Records that an id was given up while a request of it may still be in flight.
INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) VALUES (?, ?, ?, ?)
ON CONFLICT (namespace, name, id) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)

-- name: find-tombstone
SELECT 1 FROM holdfast_tombstone WHERE namespace = ? AND name = ? AND id = ? AND expires_at > ?

-- name: find-waiter
SELECT id, position, seen_at FROM holdfast_waiter WHERE namespace = ? AND name = ? AND id = ?

-- name: find-first-waiter
SELECT id, position, seen_at FROM holdfast_waiter WHERE namespace = ? AND name = ? ORDER BY position LIMIT 1

-- name: find-first-living-waiter
-- The first waiter that asked within its time to live.
SELECT id, position, seen_at FROM holdfast_waiter WHERE namespace = ? AND name = ? AND seen_at > ? AND seen_at <= ?
ORDER BY position LIMIT 1

-- name: enqueue
-- Gives an id the last position of the queue, also if it had another one.
INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at)
SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, ?4, ?5 FROM holdfast_waiter WHERE namespace = ?1 AND name = ?2
ON CONFLICT (namespace, name, id) DO UPDATE SET position = excluded.position, seen_at = excluded.seen_at
RETURNING position

-- name: refresh-waiter
UPDATE holdfast_waiter SET seen_at = ? WHERE namespace = ? AND name = ? AND id = ?

-- name: count-waiters-before
-- How many living waiters come before a position; no more than matter.
SELECT count(*) FROM (
    SELECT 1 FROM holdfast_waiter
    WHERE namespace = ? AND name = ? AND position < ? AND seen_at > ? AND seen_at <= ? LIMIT ?)

-- name: dequeue
DELETE FROM holdfast_waiter WHERE namespace = ? AND name = ? AND id = ?

-- name: clear-queue
DELETE FROM holdfast_waiter WHERE namespace = ? AND name = ?

-- name: prune-locks
-- Removes a few rows of locks that are idle and have no living waiter, and returns their tokens: the token floor rises in the
-- same transaction.
DELETE FROM holdfast_lock WHERE (namespace, name) IN (
    SELECT l.namespace, l.name FROM holdfast_lock l
    WHERE l.expires_at < ?1 AND NOT EXISTS (
        SELECT 1 FROM holdfast_waiter w
        WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > ?2 AND w.seen_at <= ?3)
    LIMIT 20)
RETURNING namespace, name, token

-- name: prune-waiters
-- Removes a few waiters that died long ago from the queues of busy locks. Only of busy ones: a command that asks for a free lock
-- has to see that its first waiter died, as the claim window of the next begins then.
DELETE FROM holdfast_waiter WHERE (namespace, name, id) IN (
    SELECT w.namespace, w.name, w.id
    FROM holdfast_waiter w CROSS JOIN holdfast_lock l -- few waiters, many locks: in this order
    WHERE (w.seen_at < ?1 OR w.seen_at > ?2) AND l.namespace = w.namespace AND l.name = w.name
        AND l.state <> 'free' AND l.expires_at > ?2
    LIMIT 20)

-- name: prune-tombstones
DELETE FROM holdfast_tombstone WHERE (namespace, name, id) IN
    (SELECT namespace, name, id FROM holdfast_tombstone WHERE expires_at <= ? LIMIT 20)

-- name: find-turns
-- The waiters whose turn it is to ask: of each lock that is not held, the first living one; of a held lock only if another one was
-- the first before, as no other waiter has reason to ask.
SELECT w.name, w.id, l.token, l.state
FROM holdfast_waiter w CROSS JOIN holdfast_lock l -- few waiters, many locks: in this order
WHERE w.namespace = ?1 AND l.namespace = w.namespace AND l.name = w.name
    AND (l.state <> 'held' OR l.expires_at <= ?2 OR l.promoted_at IS NOT NULL)
    AND w.position = (
        SELECT f.position FROM holdfast_waiter f
        WHERE f.namespace = w.namespace AND f.name = w.name AND f.seen_at > ?3 AND f.seen_at <= ?2
        ORDER BY f.position LIMIT 1)

-- name: list-locks
-- The locks of a namespace, in a range of names, that are held, in a minimum hold or waited for; one row per waiter, in the order
-- of the queue. ?6 is now; a waiter that asked since ?7 is alive.
SELECT l.*, w.owner AS waiter
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.granted_at, b.expires_at,
        b.is_busy AND b.state = 'held' AND b.id IS NOT NULL AS is_held, b.is_busy AND b.state = 'minimum_hold' AS is_minimum_hold
    FROM (
        SELECT *, state <> 'free' AND expires_at > ?6 AS is_busy FROM holdfast_lock
    ) b
    WHERE b.namespace = ?1 AND b.name >= ?2 AND b.name > ?3 AND b.name < ?4
        AND (b.is_busy OR EXISTS (
            SELECT 1 FROM holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name AND w.seen_at > ?7))
    ORDER BY b.name
    LIMIT ?5
) l
LEFT JOIN holdfast_waiter w ON w.namespace = ?1 AND w.name = l.name AND w.seen_at > ?7
ORDER BY l.name, w.position
