-- Where the tables are, in one row. They are in the schema in which the search path finds holdfast_lock, and in no other; if it
-- finds none, in the first schema of the path.
--
-- Runs in whatever search path the connection has: every comparison is one of two values of one type, for which PostgreSQL has an
-- operator, so that it does not consider operators that others may have created in a schema of the path.
WITH needed (name) AS (
    VALUES ('holdfast_schema'::pg_catalog.text), ('holdfast_lock'), ('holdfast_share'), ('holdfast_waiter'),
        ('holdfast_tombstone'), ('holdfast_token_floor'), ('holdfast_authority_state'), ('holdfast_member')
), visible AS (
    SELECT c.relnamespace AS schema, n.name
    FROM needed n JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(n.name)::pg_catalog.oid
), home AS (
    SELECT n.oid AS id, pg_catalog.quote_ident(n.nspname::pg_catalog.text) AS quoted
    FROM pg_catalog.pg_namespace n
    WHERE n.oid = coalesce(
        (SELECT v.schema FROM visible v WHERE v.name = 'holdfast_lock'::pg_catalog.text),
        (SELECT f.oid FROM pg_catalog.pg_namespace f WHERE f.nspname = pg_catalog.current_schema()))
), missing AS (
    SELECT n.name FROM needed n WHERE NOT EXISTS (
        SELECT FROM home h JOIN pg_catalog.pg_class c ON c.relnamespace = h.id WHERE c.relname::pg_catalog.text = n.name)
)
SELECT
    pg_catalog.getdatabaseencoding()::pg_catalog.text AS encoding,
    (SELECT h.quoted FROM home h) AS schema,
    (SELECT pg_catalog.count(*) FROM needed) AS needed,
    ARRAY(SELECT m.name FROM missing m ORDER BY m.name) AS missing,
    pg_catalog.to_regprocedure((SELECT h.quoted FROM home h) || '.holdfast_fingerprint(text)'::pg_catalog.text) IS NOT NULL
        AS has_functions,
    pg_catalog.to_regclass('holdfast_history') IS NOT NULL AS has_history,
    (
        SELECT DISTINCT pg_catalog.quote_ident(n.nspname::pg_catalog.text)
        FROM visible v JOIN pg_catalog.pg_namespace n ON n.oid = v.schema
        WHERE n.nspname IS DISTINCT FROM pg_catalog.current_schema()
        LIMIT 1
    ) AS elsewhere
