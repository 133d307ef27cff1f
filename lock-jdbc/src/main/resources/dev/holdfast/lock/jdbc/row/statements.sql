-- The statements of the store, each under its name. A dialect replaces single ones, and adds write-locks, write-shares,
-- write-waiters and write-tombstones, which write rows whether or not they exist. Parameters are written :so; {now} is the dialect's clock, {limit}
-- its way to limit the number of rows, {for update} its way to lock the rows that are read, {skip locked} its way to leave out
-- those that other transactions have locked, {by key} its way to find rows by the primary key whatever the statistics say, {list}
-- what it writes before a list of rows. What is within {each } is repeated for each row.
--
-- A statement that writes, or locks, names rows by their whole primary key, and a statement that reads locks nothing: the row of the
-- lock is locked before, and protects the lock's shares, waiters and tombstones. A transaction waits for no row while it has locked others,
-- but for rows that it creates, in the order of their keys. So two batches cannot deadlock.

-- name: find-version
SELECT max(version) AS version, max(oldest_client) AS oldest_client FROM holdfast_schema

-- name: read-clock
SELECT {now} AS now

-- name: lock-locks
-- Locks the rows, waiting for other transactions.
SELECT namespace, name, token, id, owner, granted_at, expires_at, state, promoted_at FROM holdfast_lock {by key}
WHERE (namespace, name) IN ({list}{each (:namespace, :name)}) {for update}

-- name: lock-free-rows
-- Locks those of the rows that no other transaction has locked.
SELECT namespace, name, token, id, owner, granted_at, expires_at, state, promoted_at FROM holdfast_lock {by key}
WHERE (namespace, name) IN ({list}{each (:namespace, :name)}) {skip locked}

-- name: find-locks
-- The rows that exist, locked or not.
SELECT namespace, name FROM holdfast_lock {by key} WHERE (namespace, name) IN ({list}{each (:namespace, :name)})

-- name: create-locks
-- Creates the rows of locks that have none, and locks them. A row that exists by then is an error, or is locked.
INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state)
VALUES {each (:namespace, :name, 0, '-', 0, 0, 'free')}

-- name: read-clock-and-floor
-- This and the next ones have the same columns, and are read as one.
SELECT 'clock' AS kind, NULL AS namespace, NULL AS name, NULL AS id, {now} AS first_number, max(token) AS second_number
FROM holdfast_token_floor

-- name: read-tombstones
SELECT 'tombstone' AS kind, namespace, name, id, expires_at AS first_number, 0 AS second_number FROM holdfast_tombstone {by key}
WHERE (namespace, name, id) IN ({list}{each (:namespace, :name, :id)})

-- name: read-first-waiters
SELECT 'first' AS kind, w.namespace, w.name, w.id, w.position AS first_number, w.seen_at AS second_number
FROM holdfast_lock l JOIN holdfast_waiter w ON w.namespace = l.namespace AND w.name = l.name
    AND w.position = (SELECT min(m.position) FROM holdfast_waiter m WHERE m.namespace = l.namespace AND m.name = l.name)
WHERE (l.namespace, l.name) IN ({list}{each (:namespace, :name)})

-- name: read-front
-- The first waiters after a position.
SELECT * FROM (
    SELECT 'front' AS kind, namespace, name, id, position AS first_number, seen_at AS second_number FROM holdfast_waiter
    WHERE namespace = :namespace AND name = :name AND position > :after ORDER BY position {limit}) f

-- name: read-last
SELECT * FROM (
    SELECT 'last' AS kind, namespace, name, id, position AS first_number, seen_at AS second_number FROM holdfast_waiter
    WHERE namespace = :namespace AND name = :name ORDER BY position DESC {limit}) l

-- name: read-waiters
SELECT 'waiter' AS kind, namespace, name, id, position AS first_number, seen_at AS second_number FROM holdfast_waiter {by key}
WHERE (namespace, name, id) IN ({list}{each (:namespace, :name, :id)})

-- name: read-shares
-- This and the next one read all of the locks.
SELECT namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state FROM holdfast_share {by key}
WHERE (namespace, name) IN ({list}{each (:namespace, :name)})

-- name: read-queues
SELECT namespace, name, position, id, owner, seen_at, permits, permit_limit, due_at FROM holdfast_waiter {by key}
WHERE (namespace, name) IN ({list}{each (:namespace, :name)})

-- name: delete-shares
DELETE FROM holdfast_share WHERE (namespace, name, id) IN ({list}{each (:namespace, :name, :id)})

-- name: release-held
-- Frees a lock that the id holds, in one statement.
UPDATE holdfast_lock SET expires_at = {now}, state = 'free', promoted_at = NULL
WHERE namespace = :namespace AND name = :name AND id = :id AND state = 'held' AND expires_at > {now}

-- name: delete-waiters
DELETE FROM holdfast_waiter WHERE (namespace, name, id) IN ({list}{each (:namespace, :name, :id)})

-- name: find-idle-locks
-- A few locks that seem to be idle and to have no living waiter, of any namespace; locks them, but for those that others have locked.
SELECT l.namespace, l.name, l.token, l.state FROM holdfast_lock l
WHERE l.expires_at < :idle_before AND NOT EXISTS (
    SELECT 1 FROM holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > :dead_since AND w.seen_at <= :now)
ORDER BY l.expires_at {limit} {skip locked}

-- name: find-waiters-of-locks
-- When all waiters of the locks, dead or not, were last seen; and the clock.
SELECT namespace, name, id, seen_at, {now} AS now FROM holdfast_waiter WHERE (namespace, name) IN ({list}{each (:namespace, :name)})

-- name: delete-locks
DELETE FROM holdfast_lock WHERE (namespace, name) IN ({list}{each (:namespace, :name)})

-- name: raise-token-floor
-- Keeps the tokens rising for names whose rows are pruned.
UPDATE holdfast_token_floor SET token = CASE WHEN token < :token THEN :token ELSE token END WHERE singleton = 1

-- name: find-dead-waiters
-- A few waiters that died long ago in the queues of busy locks. Only of busy ones: a command that asks for a free lock has to see
-- that its first waiter died, as the claim window of the next begins then.
SELECT w.namespace, w.name, w.id
FROM holdfast_waiter w CROSS JOIN holdfast_lock l -- few waiters, many locks: in this order
WHERE (w.seen_at < :long_dead_since OR w.seen_at > :now) AND l.namespace = w.namespace AND l.name = w.name
    AND l.state <> 'free' AND l.expires_at > :now
{limit}

-- name: find-old-tombstones
-- Locks them, but for those that others have locked.
SELECT namespace, name, id FROM holdfast_tombstone WHERE expires_at <= :now ORDER BY expires_at {limit} {skip locked}

-- name: delete-tombstones
DELETE FROM holdfast_tombstone WHERE (namespace, name, id) IN ({list}{each (:namespace, :name, :id)})

-- name: find-turns
-- Those of some locks whose first living waiter, which may be null, has its turn to ask: those that are not held, and a held one
-- only if another waiter was the first before, as no other waiter has reason to ask. Reads one row of each lock and, of those with
-- a turn, the queue as far as its first living waiter. At a lock with the state shared this is as at a held one: find-due-waiters has
-- those that are due.
SELECT l.name, l.token, l.state, l.promoted_at, CASE WHEN l.state <> 'shared' OR l.expires_at <= {now} OR l.promoted_at IS NOT NULL THEN (
    SELECT w.id FROM holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > {now} - :time_to_live AND w.seen_at <= {now}
    ORDER BY w.position {limit}
) END AS waiter
FROM holdfast_lock l
WHERE l.namespace = :namespace AND l.name IN ({each :name})
    AND (l.state <> 'held' OR l.expires_at <= {now} OR l.promoted_at IS NOT NULL)

-- name: find-due-waiters
-- Those of some locks with the state shared.
SELECT w.name, w.id, w.due_at FROM holdfast_waiter w
WHERE w.namespace = :namespace AND w.name IN ({each :name})
    AND w.due_at IS NOT NULL AND w.seen_at > {now} - :time_to_live AND w.seen_at <= {now}

-- name: list-locks
-- The holders, minimum holds and waiters of the locks of a namespace, in a range of names: for each lock first the holders and
-- minimum holds, in the order of their tokens, then the waiters in the order of the queue.
SELECT l.name,
    CASE WHEN k.part = 'waiter' THEN 'waiter' WHEN COALESCE(s.state, l.state) = 'held' THEN 'holder' ELSE 'minimum_hold' END AS kind,
    COALESCE(w.id, s.id, l.id) AS id, COALESCE(w.owner, s.owner, l.owner) AS owner, COALESCE(s.token, l.token) AS token,
    COALESCE(s.granted_at, l.granted_at) AS granted_at, COALESCE(s.expires_at, l.expires_at) AS expires_at,
    COALESCE(w.permits, s.permits, 1) AS permits, COALESCE(w.permit_limit, s.permit_limit, 1) AS permit_limit
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.granted_at, b.expires_at, b.state,
        CASE WHEN b.state <> 'free' AND b.expires_at > :now THEN 1 ELSE 0 END AS is_busy
    FROM holdfast_lock b
    WHERE b.namespace = :namespace AND b.name >= :from AND b.name > :after AND b.name < :before
        AND ((b.state <> 'free' AND b.expires_at > :now) OR EXISTS (
            SELECT 1 FROM holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name AND w.seen_at > :dead_since))
    ORDER BY b.name
    {limit}
) l
CROSS JOIN (SELECT 'lock' AS part UNION ALL SELECT 'share' UNION ALL SELECT 'waiter') k
LEFT JOIN holdfast_share s ON k.part = 'share' AND l.state = 'shared' AND s.namespace = :namespace AND s.name = l.name
    AND s.expires_at > :now
LEFT JOIN holdfast_waiter w ON k.part = 'waiter' AND w.namespace = :namespace AND w.name = l.name AND w.seen_at > :dead_since
WHERE (k.part = 'lock' AND l.is_busy = 1 AND l.state <> 'shared' AND l.id IS NOT NULL) OR s.id IS NOT NULL OR w.id IS NOT NULL
ORDER BY l.name, k.part, COALESCE(s.token, w.position)
