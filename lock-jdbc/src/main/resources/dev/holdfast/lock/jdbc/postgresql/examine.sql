-- What of the server may weaken a promise. $schema is where our tables are.
SELECT
    current_setting('server_version') AS version,
    current_user AS role,
    current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean AS is_crash_safe,
    pg_is_in_recovery() AS is_standby,
    current_setting('synchronous_standby_names') AS synchronous,
    (SELECT count(*) FROM pg_catalog.pg_stat_replication) AS standbys,
    (
        SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
        WHERE c.relpersistence = 'u' AND c.oid IN (
            to_regclass('$schema.holdfast_lock'), to_regclass('$schema.holdfast_waiter'),
            to_regclass('$schema.holdfast_released'), to_regclass('$schema.holdfast_floor'))
    ) AS unlogged,
    (
        SELECT string_agg('GRANT ' || r.rights || ' ON $schema.' || r.name || ' TO ' || quote_ident(current_user), '; ')
        FROM (
            SELECT t.name, string_agg(n.right_needed, ', ') AS rights
            FROM (VALUES ('holdfast_lock'), ('holdfast_waiter'), ('holdfast_released'), ('holdfast_floor')) t (name)
            CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) n (right_needed)
            WHERE NOT has_table_privilege('$schema.' || t.name, n.right_needed)
                AND (t.name <> 'holdfast_floor' OR n.right_needed IN ('SELECT', 'UPDATE'))
            GROUP BY t.name
        ) r
    ) AS grants_missing
