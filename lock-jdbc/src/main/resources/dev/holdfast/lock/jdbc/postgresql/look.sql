-- What is there of ours, as one table of (kind, table or function, column or schema, type, must be given a value).
WITH ours AS (
    SELECT to_regclass(t.name)::oid AS id
    FROM (VALUES
        ('holdfast_lock'), ('holdfast_waiter'), ('holdfast_released'), ('holdfast_floor'), ('holdfast_regime'),
        ('holdfast_member')) AS t (name)
)
SELECT 'encoding', getdatabaseencoding()::text, NULL, NULL, false
UNION ALL
SELECT 'column', c.relname::text, a.attname::text,
       format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE "' || o.collname || '"', ''),
       a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation AND o.collname <> 'default'
WHERE a.attrelid IN (SELECT o.id FROM ours o)
    AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'table', c.relname::text, quote_ident(n.nspname), NULL, false
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass('holdfast_lock')
UNION ALL
SELECT 'function', p.proname::text, quote_ident(n.nspname), NULL, false
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE p.oid IN (
    to_regprocedure(
        'holdfast_apply_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[])'),
    to_regprocedure('holdfast_first_v1(text,text,timestamptz,timestamptz,uuid)'),
    to_regprocedure('holdfast_prune_v1(bigint,integer)'),
    to_regprocedure('holdfast_guard_v1(text,integer,integer,boolean)'),
    to_regprocedure('holdfast_durably_v1()'),
    to_regprocedure(
        'holdfast_ruled_v1(text,text,integer,text[],text[],uuid[],bigint[],boolean[],bigint[],text[],bigint[],integer,bigint)'),
    to_regprocedure('holdfast_highest_v1(text,integer)'),
    to_regprocedure('holdfast_found_v1(text,integer,integer,bigint,bigint)'),
    to_regprocedure('holdfast_change_v1(text,integer,integer,text,text,bigint,text,text)'),
    to_regprocedure(
        'holdfast_assert_v1(text,integer,integer,bigint,text[],uuid[],bigint[],bigint[],bigint[],boolean[],text[])'),
    to_regprocedure('holdfast_held_v1(text,integer,integer,bigint,text,integer)'),
    to_regprocedure('holdfast_reading_v1(text,integer)'),
    to_regprocedure('holdfast_read_v1(text,integer,integer,uuid,text,bigint)'))
UNION ALL
SELECT 'history', 'holdfast_history', NULL, NULL, false WHERE to_regclass('holdfast_history') IS NOT NULL
UNION ALL
SELECT DISTINCT 'elsewhere', quote_ident(n.nspname), NULL, NULL, false
FROM ours o
    JOIN pg_catalog.pg_class c ON c.oid = o.id
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IS DISTINCT FROM current_schema()
