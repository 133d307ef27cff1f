-- The locks of a namespace, in a range of names, that are held, in a minimum hold or waited for; one row per waiter, in the order
-- of the queue. $schema is where the tables are.
--
-- Runs in whatever search path the connection has: see locate-schema.sql.
--
-- Guarantees: reads only, in a snapshot of its own; waits for no other transaction and blocks none. Reads no more rows than the
-- limit takes.
SELECT l.*, w.owner AS waiter
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.granted_at, b.expires_at,
        c.is_busy AND b.state = 'held' AND b.id IS NOT NULL AS is_held, c.is_busy AND b.state = 'minimum_hold' AS is_minimum_hold
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
LEFT JOIN $schema.holdfast_waiter w
    ON w.namespace = ?::pg_catalog.text AND w.name = l.name
        AND w.seen_at <= pg_catalog.clock_timestamp() AND pg_catalog.clock_timestamp() < w.seen_at + interval '15 seconds'
ORDER BY l.name, w.position
