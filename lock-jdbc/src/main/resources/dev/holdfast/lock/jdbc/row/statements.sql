-- The statements of the store, each under its name. A dialect may replace single ones. Parameters are written :so; {now} is the
-- dialect's clock, {limit} its way to limit the number of rows, {for update} its way to lock the row that is read. What is within
-- {each } is repeated for each row.
--
-- Apart from "lock-lock", a statement that writes names one row by its whole primary key, and a statement that reads locks nothing:
-- the row of the lock is locked before, and protects the lock's waiters and tombstones. So two batches cannot deadlock.

-- name: find-version
SELECT max(version) AS version, max(oldest_client) AS oldest_client FROM holdfast_schema

-- name: read-clock
SELECT {now} AS now

-- name: lock-lock
SELECT token, id, granted_at, expires_at, state, promoted_at FROM holdfast_lock
WHERE namespace = :namespace AND name = :name {for update}

-- name: create-lock
-- Creates the row of a lock that has none, and locks it; does nothing if there is one meanwhile.
INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state)
VALUES (:namespace, :name, 0, '-', 0, 0, 'free')

-- name: read-facts
-- What the decision about an id that asks for a lock takes: the clock, the token floor, the id's tombstone, the first waiter.
SELECT f.now, f.token_floor, t.expires_at AS tombstone_expires_at, w.id, w.position, w.seen_at
FROM (SELECT {now} AS now, max(token) AS token_floor FROM holdfast_token_floor) f
LEFT JOIN holdfast_tombstone t ON t.namespace = :namespace AND t.name = :name AND t.id = :id
LEFT JOIN holdfast_waiter w ON w.namespace = :namespace AND w.name = :name
    AND w.position = (SELECT min(position) FROM holdfast_waiter WHERE namespace = :namespace AND name = :name)

-- name: grant
-- Grants a free lock to an id, with a token greater than every earlier one.
UPDATE holdfast_lock
SET token = :token, id = :id, owner = :owner, granted_at = :granted_at, expires_at = :expires_at, state = 'held', promoted_at = NULL
WHERE namespace = :namespace AND name = :name

-- name: renew
-- Moves the end of a lease that has not expired.
UPDATE holdfast_lock SET expires_at = :expires_at WHERE namespace = :namespace AND name = :name

-- name: release
-- Ends the lease of the row's id; the lock is busy until the end of its minimum hold, or free at once.
UPDATE holdfast_lock SET expires_at = :expires_at, state = :state, promoted_at = NULL
WHERE namespace = :namespace AND name = :name

-- name: release-held
-- Frees a lock that the id holds, in one statement.
UPDATE holdfast_lock SET expires_at = {now}, state = 'free', promoted_at = NULL
WHERE namespace = :namespace AND name = :name AND id = :id AND state = 'held' AND expires_at > {now}

-- name: promote-waiter
-- Records since when a free lock is reserved for its first waiter, which was not the first when the lock became free.
UPDATE holdfast_lock
SET promoted_at = :since, expires_at = CASE WHEN expires_at > :now THEN :now ELSE expires_at END
WHERE namespace = :namespace AND name = :name

-- name: promote-waiter-of-busy-lock
-- Records that the queue of a busy lock has a new first waiter, which is notified by this.
UPDATE holdfast_lock SET promoted_at = :since WHERE namespace = :namespace AND name = :name

-- name: find-tombstone
SELECT expires_at FROM holdfast_tombstone WHERE namespace = :namespace AND name = :name AND id = :id

-- name: add-tombstone
INSERT INTO holdfast_tombstone (namespace, name, id, expires_at) VALUES (:namespace, :name, :id, :expires_at)

-- name: extend-tombstone
UPDATE holdfast_tombstone SET expires_at = :expires_at WHERE namespace = :namespace AND name = :name AND id = :id

-- name: find-waiter
SELECT id, position, seen_at FROM holdfast_waiter WHERE namespace = :namespace AND name = :name AND id = :id

-- name: find-first-waiter
SELECT id, position, seen_at FROM holdfast_waiter WHERE namespace = :namespace AND name = :name ORDER BY position {limit}

-- name: find-first-living-waiter
-- The first waiter that asked within its time to live.
SELECT id, position, seen_at FROM holdfast_waiter
WHERE namespace = :namespace AND name = :name AND seen_at > :dead_since AND seen_at <= :now
ORDER BY position {limit}

-- name: find-last-position
SELECT coalesce(max(position), 0) FROM holdfast_waiter WHERE namespace = :namespace AND name = :name

-- name: enqueue
INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at)
VALUES (:namespace, :name, :position, :id, :owner, :now)

-- name: requeue
UPDATE holdfast_waiter SET position = :position, seen_at = :now WHERE namespace = :namespace AND name = :name AND id = :id

-- name: refresh-waiter
UPDATE holdfast_waiter SET seen_at = :now WHERE namespace = :namespace AND name = :name AND id = :id

-- name: count-waiters-before
-- How many living waiters come before a position; no more than matter.
SELECT count(*) FROM (
    SELECT position FROM holdfast_waiter
    WHERE namespace = :namespace AND name = :name AND position < :position AND seen_at > :dead_since AND seen_at <= :now {limit}) w

-- name: dequeue
DELETE FROM holdfast_waiter WHERE namespace = :namespace AND name = :name AND id = :id

-- name: find-waiters
SELECT id FROM holdfast_waiter WHERE namespace = :namespace AND name = :name

-- name: find-idle-locks
-- A few locks that seem to be idle and to have no living waiter, of any namespace.
SELECT l.namespace, l.name FROM holdfast_lock l
WHERE l.expires_at < :idle_before AND NOT EXISTS (
    SELECT 1 FROM holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > :dead_since AND w.seen_at <= :now)
{limit}

-- name: delete-lock
DELETE FROM holdfast_lock WHERE namespace = :namespace AND name = :name

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
SELECT namespace, name, id FROM holdfast_tombstone WHERE expires_at <= :now {limit}

-- name: delete-tombstone
DELETE FROM holdfast_tombstone WHERE namespace = :namespace AND name = :name AND id = :id AND expires_at <= :now

-- name: find-turns
-- Of some locks, those whose first living waiter, which may be null, has its turn to ask: those that are not held, and a held one
-- only if another waiter was the first before, as no other waiter has reason to ask. Reads one row of each lock and, of those with
-- a turn, the queue as far as its first living waiter.
SELECT l.name, l.token, l.state, (
    SELECT w.id FROM holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen_at > {now} - :time_to_live AND w.seen_at <= {now}
    ORDER BY w.position {limit}
) AS waiter
FROM holdfast_lock l
WHERE l.namespace = :namespace AND l.name IN ({each :name})
    AND (l.state <> 'held' OR l.expires_at <= {now} OR l.promoted_at IS NOT NULL)

-- name: list-locks
-- The locks of a namespace, in a range of names, that are held, in a minimum hold or waited for; one row per waiter, in the order
-- of the queue.
SELECT l.name, l.id, l.owner, l.token, l.granted_at, l.expires_at, l.is_held, l.is_minimum_hold, w.owner AS waiter
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.granted_at, b.expires_at,
        CASE WHEN b.state = 'held' AND b.expires_at > :now AND b.id IS NOT NULL THEN 1 ELSE 0 END AS is_held,
        CASE WHEN b.state = 'minimum_hold' AND b.expires_at > :now THEN 1 ELSE 0 END AS is_minimum_hold
    FROM holdfast_lock b
    WHERE b.namespace = :namespace AND b.name >= :from AND b.name > :after AND b.name < :before
        AND ((b.state <> 'free' AND b.expires_at > :now) OR EXISTS (
            SELECT 1 FROM holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name AND w.seen_at > :dead_since))
    ORDER BY b.name
    {limit}
) l
LEFT JOIN holdfast_waiter w ON w.namespace = :namespace AND w.name = l.name AND w.seen_at > :dead_since
ORDER BY l.name, w.position
