-- Takes a few out of the queues of busy locks who died long ago. Only of busy ones: whoever asks for a free lock has to see
-- who died as its first, as the next has its chance from then on.
DELETE FROM holdfast_waiter WHERE (namespace, name, id) IN (
    SELECT w.namespace, w.name, w.id
    FROM holdfast_waiter w CROSS JOIN holdfast_lock l -- few wait, many locks were used lately: in this order
    WHERE (w.seen < ?1 OR w.seen > ?2) AND l.namespace = w.namespace AND l.name = w.name
        AND l.state <> 'free' AND l.until > ?2
    LIMIT 20)
