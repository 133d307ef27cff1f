-- The schemas of the connection's search path, in its order, one per row; one row without a schema if the path is empty. The
-- parameter is the search path that the application has configured; null if it has configured none.
--
-- Unlike current_schemas(), includes those that do not exist, or that the role may not use.
--
-- Runs in whatever search path the connection has: see locate-schema.sql.
WITH path AS (
    SELECT g.setting AS used, ?::pg_catalog.text AS configured,
        -- Flyway sets it back to what it was, after which its source is the session all the same.
        g.source = 'session'::pg_catalog.text AND g.setting IS DISTINCT FROM g.reset_val AS is_changed
    FROM pg_catalog.pg_settings g WHERE g.name = 'search_path'::pg_catalog.text
), entry AS (
    SELECT s.is_used, m.place,
        CASE WHEN pg_catalog.strpos(m.part[1], '"'::pg_catalog.text) > 0
            THEN pg_catalog.replace(m.part[2], '""', '"')
            ELSE pg_catalog.lower(m.part[1])
        END AS name
    FROM path p
        CROSS JOIN LATERAL (VALUES (true, p.used), (false, p.configured)) s (is_used, setting)
        -- A quoted name, in which a quote is doubled; or one without quotes.
        CROSS JOIN LATERAL pg_catalog.regexp_matches(s.setting, '("((?:[^"]|"")*)"|[^,"[:space:]]+)', 'g')
            WITH ORDINALITY AS m (part, place)
), named AS (
    SELECT e.place, e.name,
        CASE WHEN e.name = '$user'::pg_catalog.text THEN current_user::pg_catalog.text ELSE e.name END AS schema
    FROM entry e WHERE e.is_used AND e.name <> ''::pg_catalog.text
)
SELECT p.used, p.is_changed, current_user::pg_catalog.text AS role,
    pg_catalog.quote_ident(current_user::pg_catalog.text) AS quoted_role,
    pg_catalog.quote_ident(pg_catalog.current_database()::pg_catalog.text) AS quoted_database,
    coalesce((
        SELECT pg_catalog.string_agg(u.name, pg_catalog.chr(1) ORDER BY u.place) FROM entry u WHERE u.is_used
    ) = (
        SELECT pg_catalog.string_agg(c.name, pg_catalog.chr(1) ORDER BY c.place) FROM entry c WHERE NOT c.is_used
    ), p.configured IS NULL) AS is_as_configured,
    n.name, pg_catalog.quote_ident(n.schema) AS schema, s.oid IS NOT NULL AS exists,
    coalesce(pg_catalog.has_schema_privilege(s.oid, 'USAGE'), false) AS is_usable,
    EXISTS (
        SELECT FROM pg_catalog.pg_class t
        WHERE t.relnamespace = s.oid AND t.relname::pg_catalog.text = 'holdfast_lock'::pg_catalog.text
    ) AS has_tables
FROM path p
    LEFT JOIN named n ON true
    LEFT JOIN pg_catalog.pg_namespace s ON s.nspname::pg_catalog.text = n.schema
ORDER BY n.place
