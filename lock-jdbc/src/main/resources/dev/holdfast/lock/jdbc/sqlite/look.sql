-- The columns of our tables, and whether whoever inserts has to give them a value.
SELECT t.name, c.name, c.type, c."notnull" = 1 AND c.dflt_value IS NULL
FROM sqlite_master t JOIN pragma_table_info(t.name) c
WHERE t.type = 'table'
    AND t.name IN ('holdfast_lock', 'holdfast_waiter', 'holdfast_released', 'holdfast_floor', 'holdfast_history')
ORDER BY t.name, c.cid
