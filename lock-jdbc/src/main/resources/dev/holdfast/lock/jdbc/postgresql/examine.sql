-- What of the server may weaken a promise, or keeps this role from the tables and functions. The parameters are the schema
-- of the tables and that of the functions, quoted where they have to be.
WITH place AS (SELECT ?::text || '.' AS tables, ?::text || '.' AS functions)
SELECT
    current_setting('server_version') AS version,
    current_user AS role,
    current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean AS is_crash_safe,
    pg_is_in_recovery() AS is_standby,
    current_setting('synchronous_standby_names') AS synchronous,
    (
        -- Whoever only copies the log, and shows it, is nothing to fail over to.
        SELECT count(*) FROM pg_catalog.pg_stat_replication r
        WHERE coalesce(r.application_name, '') NOT IN ('pg_receivewal', 'pg_basebackup')
            AND coalesce(r.state, '') <> 'backup'
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_replication_slots s WHERE s.slot_type = 'logical' AND s.active_pid = r.pid)
    ) AS standbys,
    (
        SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
        WHERE c.relpersistence = 'u' AND c.oid IN (
            to_regclass(place.tables || 'holdfast_lock'), to_regclass(place.tables || 'holdfast_waiter'),
            to_regclass(place.tables || 'holdfast_released'), to_regclass(place.tables || 'holdfast_floor'))
    ) AS unlogged,
    (
        SELECT string_agg(g.to_grant || ' TO ' || quote_ident(current_user), '; ')
        FROM (
            SELECT 'GRANT ' || string_agg(n.needed, ', ') || ' ON ' || place.tables || t.name AS to_grant
            FROM (VALUES ('holdfast_lock'), ('holdfast_waiter'), ('holdfast_released'), ('holdfast_floor')) t (name)
            CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) n (needed)
            WHERE NOT has_table_privilege(to_regclass(place.tables || t.name), n.needed)
                AND (t.name <> 'holdfast_floor' OR n.needed IN ('SELECT', 'UPDATE'))
            GROUP BY t.name
            UNION ALL
            SELECT 'GRANT EXECUTE ON FUNCTION ' || place.functions || f.signature
            FROM (VALUES
                ('holdfast_apply_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[])'),
                ('holdfast_first_v1(text,text,timestamptz,timestamptz,uuid)'),
                ('holdfast_prune_v1(bigint,integer)')) f (signature)
            WHERE NOT has_function_privilege(to_regprocedure(place.functions || f.signature), 'EXECUTE')
        ) g
    ) AS grants_missing
FROM place
