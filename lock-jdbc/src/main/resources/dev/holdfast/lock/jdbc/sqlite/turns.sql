-- Whose turn it is to ask: of each lock that nobody holds, the first in the queue that lives; of one that is held only if
-- another was the first before, as nobody else has reason to ask.
SELECT w.name, w.id, l.token, l.state
FROM holdfast_waiter w CROSS JOIN holdfast_lock l -- few wait, many locks were used lately: in this order
WHERE w.namespace = ?1 AND l.namespace = w.namespace AND l.name = w.name
    AND (l.state <> 'held' OR l.until <= ?2 OR l.promoted IS NOT NULL)
    AND w.place = (
        SELECT f.place FROM holdfast_waiter f
        WHERE f.namespace = w.namespace AND f.name = w.name AND f.seen > ?3 AND f.seen <= ?2
        ORDER BY f.place LIMIT 1)
