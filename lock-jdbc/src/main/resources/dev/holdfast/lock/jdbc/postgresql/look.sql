-- What is there of ours, as one table of (kind, table or function, column, type or flaw, must be given a value).
--
-- Our tables and functions are those in the schema in which the search path finds holdfast_lock, and in no other; without any,
-- in the first of the path. Runs in
-- whatever search path the connection has: every comparison is one of two values of one type, for which PostgreSQL has an
-- operator, so that it does not even consider those that somebody may have made in a schema of the path.
WITH named (name) AS (
    VALUES ('holdfast_lock'::pg_catalog.text), ('holdfast_waiter'), ('holdfast_released'), ('holdfast_floor'),
        ('holdfast_regime'), ('holdfast_member')
), ours AS (
    SELECT c.oid AS id, c.relnamespace AS schema, c.relname::pg_catalog.text AS name
    FROM named t JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(t.name)::pg_catalog.oid
), home AS (
    SELECT n.oid AS id, pg_catalog.quote_ident(n.nspname::pg_catalog.text) AS quoted
    FROM pg_catalog.pg_namespace n
    WHERE n.oid = coalesce(
        (SELECT o.schema FROM ours o WHERE o.name = 'holdfast_lock'::pg_catalog.text),
        (SELECT f.oid FROM pg_catalog.pg_namespace f WHERE f.nspname = pg_catalog.current_schema()))
), functions AS (
    SELECT p.*, h.quoted AS home
    FROM home h
        CROSS JOIN (VALUES
            (
                'holdfast_apply_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[])'
                    ::pg_catalog.text
            ),
            ('holdfast_first_v1(text,text,timestamptz,timestamptz,uuid)'),
            ('holdfast_prune_v1(bigint,bigint,integer)'),
            ('holdfast_guard_v1(text,integer,integer,boolean)'),
            ('holdfast_durably_v1()'),
            (
                'holdfast_ruled_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[],integer,'
                    'bigint)'
            ),
            ('holdfast_highest_v1(text,integer)'),
            ('holdfast_found_v1(text,integer,integer,bigint,bigint)'),
            ('holdfast_change_v1(text,integer,integer,text,bigint,text,text)'),
            ('holdfast_assert_v1(text,integer,integer,bigint,text[],uuid[],bigint[],bigint[],bigint[],boolean[],text[])'),
            ('holdfast_held_v1(text,integer,integer,bigint,text,integer)'),
            ('holdfast_reading_v1(text,integer)'),
            ('holdfast_read_v1(text,integer,integer,uuid,text,bigint)')) AS f (signature)
        JOIN pg_catalog.pg_proc p
            ON p.oid = pg_catalog.to_regprocedure(h.quoted || '.'::pg_catalog.text || f.signature)::pg_catalog.oid
)
SELECT 'encoding', pg_catalog.getdatabaseencoding()::pg_catalog.text, NULL, NULL, false
UNION ALL
SELECT 'schema', h.quoted, NULL, NULL, false FROM home h
UNION ALL
SELECT 'column', c.relname::pg_catalog.text, a.attname::pg_catalog.text,
    pg_catalog.concat(
        pg_catalog.format_type(a.atttypid, a.atttypmod),
        ' COLLATE "'::pg_catalog.text || o.collname::pg_catalog.text || '"'::pg_catalog.text),
    a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''::pg_catalog."char"
FROM home h
    JOIN pg_catalog.pg_class c ON c.relnamespace = h.id
    JOIN named t ON t.name = c.relname::pg_catalog.text
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
    LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation AND o.collname <> 'default'::pg_catalog.name
WHERE a.attnum > 0::pg_catalog.int2 AND NOT a.attisdropped
UNION ALL
-- A path that names any schema where others may make operators and functions lets them do with a lock what they like; what
-- is bound to the tables of another schema grants the locks of that one.
SELECT 'function', f.proname::pg_catalog.text, NULL,
    CASE
        WHEN p.path IS DISTINCT FROM 'pg_catalog, pg_temp'::pg_catalog.text
            THEN pg_catalog.concat('has the search path ', coalesce(p.path, 'of the caller'), ' instead of pg_catalog, pg_temp')
        WHEN pg_catalog.strpos(f.prosrc, '.holdfast_'::pg_catalog.text) > 0
            AND pg_catalog.strpos(f.prosrc, pg_catalog.concat(' ', f.home, '.holdfast_')) = 0
            THEN pg_catalog.concat('is not bound to the tables of ', f.home)
    END,
    false
FROM functions f
    LEFT JOIN LATERAL (
        SELECT pg_catalog.substr(s.setting, 13) AS path FROM pg_catalog.unnest(f.proconfig) AS s (setting)
        WHERE pg_catalog.starts_with(s.setting, 'search_path='::pg_catalog.text)
    ) p ON true
UNION ALL
SELECT 'history', 'holdfast_history', NULL, NULL, false WHERE pg_catalog.to_regclass('holdfast_history') IS NOT NULL
UNION ALL
SELECT DISTINCT 'elsewhere', pg_catalog.quote_ident(n.nspname::pg_catalog.text), NULL, NULL, false
FROM ours o JOIN pg_catalog.pg_namespace n ON n.oid = o.schema
WHERE n.nspname IS DISTINCT FROM pg_catalog.current_schema()
