-- What of the server may weaken a promise, or keeps this role from the tables and functions. The parameters are the schema
-- of the tables and that of the functions, quoted where they have to be, and whether it is to be the authority of a composite.
--
-- Runs in whatever search path the connection has: see look.sql.
WITH place AS (
    SELECT ?::pg_catalog.text || '.' AS tables, ?::pg_catalog.text || '.' AS functions, ?::pg_catalog.bool AS is_authority
)
SELECT
    pg_catalog.current_setting('server_version') AS version,
    current_user AS role,
    pg_catalog.current_setting('fsync')::pg_catalog.bool
        AND pg_catalog.current_setting('full_page_writes')::pg_catalog.bool AS is_crash_safe,
    pg_catalog.pg_is_in_recovery() AS is_standby,
    pg_catalog.current_setting('synchronous_standby_names') AS synchronous,
    (
        -- Whoever only copies the log, and shows it, is nothing to fail over to.
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication r
        WHERE coalesce(r.application_name, '') NOT IN ('pg_receivewal', 'pg_basebackup')
            AND coalesce(r.state, '') <> 'backup'
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_replication_slots s WHERE s.slot_type = 'logical' AND s.active_pid = r.pid)
    ) AS standbys,
    (
        -- Which one is synchronous, not every role is told.
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication r
        WHERE r.sync_state IS NULL OR r.sync_state = 'sync' OR r.sync_state = 'quorum'
    ) AS confirming,
    (
        SELECT pg_catalog.string_agg(m.schema || ' (' || m.maker || ')', ', ' ORDER BY m.schema, m.maker)
        FROM (
            SELECT pg_catalog.quote_ident(n.nspname::pg_catalog.text) AS schema,
                coalesce(pg_catalog.quote_ident(r.rolname::pg_catalog.text), 'PUBLIC'::pg_catalog.text) AS maker
            FROM pg_catalog.pg_namespace n
                CROSS JOIN LATERAL pg_catalog.aclexplode(
                    coalesce(n.nspacl, pg_catalog.acldefault('n'::pg_catalog."char", n.nspowner))) a
                LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
            WHERE n.nspname = ANY (pg_catalog.current_schemas(false)) AND a.privilege_type = 'CREATE'
                AND a.grantee <> n.nspowner AND NOT coalesce(r.rolsuper OR r.rolname = current_user, false)
        ) m
    ) AS makers,
    (
        SELECT pg_catalog.string_agg(c.relname::pg_catalog.text, ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
        WHERE c.relpersistence = 'u'::pg_catalog."char" AND c.oid IN (
            SELECT pg_catalog.to_regclass(place.tables || t.name)::pg_catalog.oid
            FROM (VALUES
                ('holdfast_lock'), ('holdfast_waiter'), ('holdfast_released'), ('holdfast_floor'), ('holdfast_regime')) t (name))
    ) AS unlogged,
    (
        SELECT pg_catalog.string_agg(g.to_grant || ' TO ' || pg_catalog.quote_ident(current_user::pg_catalog.text), '; ')
        FROM (
            SELECT 'GRANT ' || pg_catalog.string_agg(n.needed, ', ' ORDER BY n.place) || ' ON ' || place.tables || t.name AS to_grant
            FROM (VALUES
                ('holdfast_lock', false, '{SELECT,INSERT,UPDATE,DELETE}'::pg_catalog.text[]),
                ('holdfast_waiter', false, '{SELECT,INSERT,UPDATE,DELETE}'),
                ('holdfast_released', false, '{SELECT,INSERT,UPDATE,DELETE}'),
                ('holdfast_floor', false, '{SELECT,UPDATE}'),
                ('holdfast_regime', true, '{SELECT,INSERT,UPDATE}'),
                ('holdfast_member', true, '{SELECT,INSERT,UPDATE,DELETE}')) t (name, is_authoritys, all_needed)
            CROSS JOIN pg_catalog.unnest(t.all_needed) WITH ORDINALITY AS n (needed, place)
            WHERE NOT pg_catalog.has_table_privilege(pg_catalog.to_regclass(place.tables || t.name), n.needed)
                AND (place.is_authority OR NOT t.is_authoritys)
            GROUP BY t.name
            UNION ALL
            SELECT 'GRANT EXECUTE ON FUNCTION ' || place.functions || f.signature
            FROM (VALUES
                (
                    'holdfast_apply_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[])',
                    false
                ),
                ('holdfast_first_v1(text,text,timestamptz,timestamptz,uuid)', false),
                ('holdfast_prune_v1(bigint,bigint,integer)', false),
                ('holdfast_guard_v1(text,integer,integer,boolean)', true),
                ('holdfast_durably_v1()', true),
                (
                    'holdfast_ruled_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[],'
                        || 'integer,bigint)',
                    true
                ),
                ('holdfast_highest_v1(text,integer)', true),
                ('holdfast_found_v1(text,integer,integer,bigint,bigint)', true),
                ('holdfast_change_v1(text,integer,integer,text,bigint,text,text)', true),
                (
                    'holdfast_assert_v1(text,integer,integer,bigint,text[],uuid[],bigint[],bigint[],bigint[],boolean[],text[])',
                    true
                ),
                ('holdfast_held_v1(text,integer,integer,bigint,text,integer)', true),
                ('holdfast_reading_v1(text,integer)', true),
                ('holdfast_read_v1(text,integer,integer,uuid,text,bigint)', true)) f (signature, is_authoritys)
            WHERE (place.is_authority OR NOT f.is_authoritys)
                AND NOT pg_catalog.has_function_privilege(pg_catalog.to_regprocedure(place.functions || f.signature), 'EXECUTE')
        ) g
    ) AS grants_missing
FROM place
