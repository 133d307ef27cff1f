-- The locks of a namespace, in a range of names, that are held, kept by a minimum hold or waited for; once for each waiter,
-- first come first. $schema is where the tables are.
--
-- Runs in whatever search path the connection has: see look.sql.
--
-- Promises: reads only, in a snapshot of its own; waits for nobody and is waited for by nobody. Reads no more rows than it
-- needs for as many locks as are asked for.
SELECT l.*, w.owner AS waiter
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.since, b.until,
        c.is_busy AND b.state = 'held' AND b.id IS NOT NULL AS is_held, c.is_busy AND b.state = 'kept' AS is_kept
    FROM $schema.holdfast_lock b
        -- Computed row by row, in the order of the names, so that the limit ends it.
        CROSS JOIN LATERAL (SELECT b.state <> 'free' AND b.until > pg_catalog.clock_timestamp() AS is_busy OFFSET 0) c
    WHERE b.namespace = ?::pg_catalog.text AND b.name >= ?::pg_catalog.text AND b.name > ?::pg_catalog.text
        AND b.name < ?::pg_catalog.text
        AND (c.is_busy OR (b.waiters > 0 AND EXISTS (
            SELECT FROM $schema.holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name
                AND w.seen <= pg_catalog.clock_timestamp() AND pg_catalog.clock_timestamp() < w.seen + interval '15 seconds')))
    ORDER BY b.name
    LIMIT ?::pg_catalog.int8
) l
LEFT JOIN $schema.holdfast_waiter w
    ON w.namespace = ?::pg_catalog.text AND w.name = l.name
        AND w.seen <= pg_catalog.clock_timestamp() AND pg_catalog.clock_timestamp() < w.seen + interval '15 seconds'
ORDER BY l.name, w.place
