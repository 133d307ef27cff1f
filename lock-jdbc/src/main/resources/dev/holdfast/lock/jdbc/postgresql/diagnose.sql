-- Settings of the server that weaken a guarantee, and rights on the tables and functions that this role lacks. The parameters are
-- the quoted schema, whether the store is the authority of a composite, and the seconds that a transaction may take.
--
-- Runs in whatever search path the connection has: see locate-schema.sql.
WITH place AS (
    SELECT ?::pg_catalog.text || '.' AS tables, ?::pg_catalog.bool AS is_authority,
        pg_catalog.clock_timestamp() - pg_catalog.make_interval(secs => ?::pg_catalog.float8) AS oldest
)
SELECT
    pg_catalog.current_setting('server_version') AS version,
    current_user AS role,
    pg_catalog.current_setting('fsync')::pg_catalog.bool
        AND pg_catalog.current_setting('full_page_writes')::pg_catalog.bool AS is_crash_safe,
    pg_catalog.pg_is_in_recovery() AS is_standby,
    pg_catalog.pg_notification_queue_usage() AS queue_usage,
    (SELECT g.setting::pg_catalog.int8 FROM pg_catalog.pg_settings g WHERE g.name = 'statement_timeout'::pg_catalog.text)
        AS statement_timeout,
    (
        -- What keeps dead versions of rows from being removed. Not every role may read the transactions of others.
        SELECT pg_catalog.string_agg(h.holder, '; ' ORDER BY h.since)
        FROM (
            SELECT a.xact_start AS since, 'the transaction of process ' || a.pid::pg_catalog.text || ' ('
                || coalesce(a.usename::pg_catalog.text, ''::pg_catalog.text) || ', '
                || coalesce(a.application_name, ''::pg_catalog.text) || ') since '
                || pg_catalog.to_char(a.xact_start, 'YYYY-MM-DD HH24:MI:SS TZ') AS holder
            FROM pg_catalog.pg_stat_activity a
            WHERE a.datname = pg_catalog.current_database() AND a.pid <> pg_catalog.pg_backend_pid()
                AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL) AND a.xact_start < place.oldest
            UNION ALL
            SELECT x.prepared, 'the prepared transaction ' || pg_catalog.quote_literal(x.gid) || ' since '
                || pg_catalog.to_char(x.prepared, 'YYYY-MM-DD HH24:MI:SS TZ')
            FROM pg_catalog.pg_prepared_xacts x
            WHERE x.database = pg_catalog.current_database() AND x.prepared < place.oldest
            UNION ALL
            SELECT NULL, 'the replication slot ' || pg_catalog.quote_ident(s.slot_name::pg_catalog.text)
                || ', which no standby uses'
            FROM pg_catalog.pg_replication_slots s
            WHERE s.xmin IS NOT NULL AND NOT s.active
            UNION ALL
            SELECT w.reply_time, 'a query on the standby ' || pg_catalog.quote_ident(coalesce(w.application_name, ''::pg_catalog.text))
                || ' with hot_standby_feedback, ' || pg_catalog.age(w.backend_xmin)::pg_catalog.text || ' transactions ago'
            FROM pg_catalog.pg_stat_replication w
            WHERE w.backend_xmin IS NOT NULL AND pg_catalog.age(w.backend_xmin) > 1000000
        ) h
    ) AS horizon_holders,
    pg_catalog.current_setting('synchronous_standby_names') AS synchronous,
    (
        -- A client that only copies the log is nothing to fail over to.
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication r
        WHERE coalesce(r.application_name, '') NOT IN ('pg_receivewal', 'pg_basebackup')
            AND coalesce(r.state, '') <> 'backup'
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_replication_slots s WHERE s.slot_type = 'logical' AND s.active_pid = r.pid)
    ) AS standbys,
    (
        -- Not every role may read which one is synchronous.
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication r
        WHERE r.sync_state IS NULL OR r.sync_state = 'sync' OR r.sync_state = 'quorum'
    ) AS confirming,
    (
        -- Another server that writes the same tables. Not every role may read pg_subscription.
        SELECT pg_catalog.string_agg(
            DISTINCT coalesce(u.subname::pg_catalog.text, 'number ' || r.srsubid::pg_catalog.text), ', ')
        FROM pg_catalog.pg_subscription_rel r LEFT JOIN pg_catalog.pg_stat_subscription u ON u.subid = r.srsubid
        WHERE r.srrelid IN (
            SELECT pg_catalog.to_regclass(place.tables || t.name)::pg_catalog.oid
            FROM (VALUES ('holdfast_lock'), ('holdfast_token_floor'), ('holdfast_authority_state')) t (name))
    ) AS subscriptions,
    (
        SELECT pg_catalog.string_agg(e.extname::pg_catalog.text, ', ' ORDER BY e.extname) FROM pg_catalog.pg_extension e
        WHERE e.extname::pg_catalog.text IN ('bdr', 'spock')
    ) AS several_primaries,
    (
        SELECT pg_catalog.string_agg(m.schema || ' (' || m.creator || ')', ', ' ORDER BY m.schema, m.creator)
        FROM (
            SELECT pg_catalog.quote_ident(n.nspname::pg_catalog.text) AS schema,
                coalesce(pg_catalog.quote_ident(r.rolname::pg_catalog.text), 'PUBLIC'::pg_catalog.text) AS creator
            FROM pg_catalog.pg_namespace n
                CROSS JOIN LATERAL pg_catalog.aclexplode(
                    coalesce(n.nspacl, pg_catalog.acldefault('n'::pg_catalog."char", n.nspowner))) a
                LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
            WHERE n.nspname = ANY (pg_catalog.current_schemas(false)) AND a.privilege_type = 'CREATE'
                AND a.grantee <> n.nspowner AND NOT coalesce(r.rolsuper OR r.rolname = current_user, false)
        ) m
    ) AS creators,
    (
        SELECT pg_catalog.string_agg(c.relname::pg_catalog.text, ', ' ORDER BY c.relname) FROM pg_catalog.pg_class c
        WHERE c.relpersistence = 'u'::pg_catalog."char" AND c.oid IN (
            SELECT pg_catalog.to_regclass(place.tables || t.name)::pg_catalog.oid
            FROM (VALUES
                ('holdfast_lock'), ('holdfast_share'), ('holdfast_waiter'), ('holdfast_tombstone'),
                ('holdfast_token_floor'), ('holdfast_authority_state')) t (name))
    ) AS unlogged,
    (
        SELECT pg_catalog.string_agg(g.to_grant || ' TO ' || pg_catalog.quote_ident(current_user::pg_catalog.text), '; ')
        FROM (
            SELECT 'GRANT ' || pg_catalog.string_agg(n.needed, ', ' ORDER BY n.place) || ' ON ' || place.tables || t.name AS to_grant
            FROM (VALUES
                ('holdfast_lock', false, '{SELECT,INSERT,UPDATE,DELETE}'::pg_catalog.text[]),
                ('holdfast_share', false, '{SELECT,INSERT,UPDATE,DELETE}'),
                ('holdfast_waiter', false, '{SELECT,INSERT,UPDATE,DELETE}'),
                ('holdfast_tombstone', false, '{SELECT,INSERT,UPDATE,DELETE}'),
                ('holdfast_token_floor', false, '{SELECT,UPDATE}'),
                ('holdfast_authority_state', true, '{SELECT,INSERT,UPDATE}'),
                ('holdfast_member', true, '{SELECT,INSERT,UPDATE,DELETE}')) t (name, is_authoritys, all_needed)
            CROSS JOIN pg_catalog.unnest(t.all_needed) WITH ORDINALITY AS n (needed, place)
            WHERE NOT pg_catalog.has_table_privilege(pg_catalog.to_regclass(place.tables || t.name), n.needed)
                AND (place.is_authority OR NOT t.is_authoritys)
            GROUP BY t.name
            UNION ALL
            SELECT 'GRANT EXECUTE ON FUNCTION ' || place.tables || p.proname::pg_catalog.text || '('
                || pg_catalog.oidvectortypes(p.proargtypes) || ')'
            FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_proc p ON p.pronamespace = c.relnamespace AND p.proowner = c.relowner
            WHERE c.oid = pg_catalog.to_regclass(place.tables || 'holdfast_schema')::pg_catalog.oid
                AND pg_catalog.starts_with(p.proname::pg_catalog.text, 'holdfast_'::pg_catalog.text)
                AND (place.is_authority OR p.proname::pg_catalog.text = ANY (
                    '{holdfast_fingerprint,holdfast_execute,holdfast_create_rows,holdfast_first_waiter,holdfast_prune}'::pg_catalog.text[] ||
                    '{holdfast_execute_shared,holdfast_move_lease,holdfast_due_waiters,holdfast_share_fits_at}'::pg_catalog.text[]))
                AND NOT pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
        ) g
    ) AS grants_missing
FROM place
