-- Removes a few rows of locks that nobody used for a while and nobody waits for, and tells their tokens: the floor rises in
-- this transaction.
DELETE FROM holdfast_lock WHERE (namespace, name) IN (
    SELECT l.namespace, l.name FROM holdfast_lock l
    WHERE l.until < ?1 AND NOT EXISTS (
        SELECT 1 FROM holdfast_waiter w
        WHERE w.namespace = l.namespace AND w.name = l.name AND w.seen > ?2 AND w.seen <= ?3)
    LIMIT 20)
RETURNING namespace, name, token
