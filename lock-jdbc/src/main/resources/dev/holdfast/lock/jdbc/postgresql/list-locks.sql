-- The holders, minimum holds and waiters of the locks of a namespace, in a range of names: for each lock first the holders, in the
-- order of their tokens, then the minimum holds, then the waiters in the order of the queue. $schema is where the tables are.
--
-- Runs in whatever search path the connection has: see locate-schema.sql.
--
-- Guarantees: reads only, in a snapshot of its own; waits for no other transaction and blocks none. Reads no more locks than the
-- limit takes.
SELECT l.name, p.*
FROM (
    SELECT b.*, c.is_busy
    FROM $schema.holdfast_lock b
        -- Computed row by row, in the order of the names, so that the limit ends the scan.
        CROSS JOIN LATERAL (SELECT b.state <> 'free' AND b.expires_at > pg_catalog.clock_timestamp() AS is_busy OFFSET 0) c
    WHERE b.namespace = ?::pg_catalog.text AND b.name >= ?::pg_catalog.text AND b.name > ?::pg_catalog.text
        AND b.name < ?::pg_catalog.text
        AND (c.is_busy OR (b.waiter_count > 0 AND EXISTS (
            SELECT FROM $schema.holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name
                AND w.seen_at <= pg_catalog.clock_timestamp() AND pg_catalog.clock_timestamp() < w.seen_at + interval '15 seconds')))
    ORDER BY b.name
    LIMIT ?::pg_catalog.int8
) l
CROSS JOIN LATERAL (
    SELECT CASE l.state WHEN 'held' THEN 'holder' ELSE 'minimum_hold' END AS kind, l.token AS place, l.id, l.owner, l.token,
        l.granted_at, l.expires_at, 1 AS permits, 1 AS permit_limit
    WHERE l.is_busy AND l.state <> 'shared' AND l.id IS NOT NULL
    UNION ALL
    SELECT CASE s.state WHEN 'held' THEN 'holder' ELSE 'minimum_hold' END, s.token, s.id, s.owner, s.token,
        s.granted_at, s.expires_at, s.permits, s.permit_limit
    FROM $schema.holdfast_share s
    WHERE l.is_busy AND l.state = 'shared' AND s.namespace = l.namespace AND s.name = l.name
        AND s.expires_at > pg_catalog.clock_timestamp()
    UNION ALL
    SELECT 'waiter', w.position, w.id, w.owner, NULL, NULL, NULL, w.permits, w.permit_limit
    FROM $schema.holdfast_waiter w
    WHERE w.namespace = l.namespace AND w.name = l.name
        AND w.seen_at <= pg_catalog.clock_timestamp() AND pg_catalog.clock_timestamp() < w.seen_at + interval '15 seconds'
) p
ORDER BY l.name, p.kind, p.place
