-- The locks of a namespace, in a range of names, that are held, kept by a minimum hold or waited for; once for each waiter,
-- first come first. ?6 is now, ?7 a ticket's time before, and perhaps a moment too early: who asked since then lives as well.
SELECT l.*, w.owner AS waiter
FROM (
    SELECT b.name, b.id, b.owner, b.token, b.since, b.until,
        b.is_busy AND b.state = 'held' AND b.id IS NOT NULL AS is_held, b.is_busy AND b.state = 'kept' AS is_kept
    FROM (
        SELECT *, state <> 'free' AND until > ?6 AS is_busy FROM holdfast_lock
    ) b
    WHERE b.namespace = ?1 AND b.name >= ?2 AND b.name > ?3 AND b.name < ?4
        AND (b.is_busy OR EXISTS (
            SELECT 1 FROM holdfast_waiter w
            WHERE w.namespace = b.namespace AND w.name = b.name AND w.seen > ?7))
    ORDER BY b.name
    LIMIT ?5
) l
LEFT JOIN holdfast_waiter w ON w.namespace = ?1 AND w.name = l.name AND w.seen > ?7
ORDER BY l.name, w.place
