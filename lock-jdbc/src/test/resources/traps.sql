-- Objects that a role with CREATE on the schema locks can create there: operators and functions that fit the types of a query better
-- than PostgreSQL's own. Each only raises an error, instead of using the rights of the role that calls it.
DO $$
DECLARE
    types CONSTANT text[] := '{bigint,integer,smallint,text,character varying,name,"char",oid,regclass,regprocedure,uuid,interval,
        timestamp with time zone,double precision,numeric,boolean,tid,text[]}';
    body  CONSTANT text := $body$LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''code of another role was called''; END'$body$;
    one   record;
BEGIN
    FOR one IN
        SELECT o.name AS operator, l.type AS left, r.type AS right,
            CASE WHEN o.name IN ('+', '-', '*', '/', '||') THEN l.type ELSE 'boolean' END AS result,
            format('trap_%s_%s_%s', o.place, l.place, r.place) AS function
        FROM unnest('{=,<>,<,<=,>,>=,+,-,*,/,||}'::text[]) WITH ORDINALITY AS o (name, place),
            unnest(types) WITH ORDINALITY AS l (type, place), unnest(types) WITH ORDINALITY AS r (type, place)
        WHERE NOT EXISTS ( -- which would be preferred
            SELECT FROM pg_operator p
            WHERE p.oprname = o.name AND p.oprleft = l.type::regtype AND p.oprright = r.type::regtype)
    LOOP
        EXECUTE format('CREATE FUNCTION locks.%I(%s, %s) RETURNS %s %s', one.function, one.left, one.right, one.result, body);
        EXECUTE format(
            'CREATE OPERATOR locks.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = locks.%I)',
            one.operator, one.left, one.right, one.function);
    END LOOP;
    FOR one IN
        SELECT f.name, a.types
        FROM unnest('{ceil,concat,count,current_setting,floor,format,format_type,getdatabaseencoding,greatest,has_function_privilege,
                has_table_privilege,hashtext,max,pg_advisory_xact_lock,pg_notify,pg_relation_size,quote_ident,replace,
                set_config,starts_with,string_agg,strpos,substr,to_regclass,to_regprocedure,unnest}'::text[]) AS f (name),
            LATERAL (
                SELECT t AS types FROM unnest(types) AS t
                UNION ALL
                SELECT l || ', ' || r
                FROM unnest('{text,character varying,name,regclass,regprocedure,bigint,integer}'::text[]) AS l,
                    unnest('{text,character varying,name,bigint,integer}'::text[]) AS r
            ) a
        WHERE to_regprocedure(format('pg_catalog.%s(%s)', f.name, a.types)) IS NULL
    LOOP
        EXECUTE format('CREATE FUNCTION locks.%I(%s) RETURNS text %s', one.name, one.types, body);
    END LOOP;
    -- And functions with Holdfast's names that fit better the type that a driver sends for a text.
    FOR one IN
        SELECT p.proname AS name, replace(oidvectortypes(p.proargtypes), 'text,', 'character varying,') AS types
        FROM pg_proc p WHERE p.pronamespace = 'locks'::regnamespace AND p.proname LIKE 'holdfast%' AND p.pronargs > 0
    LOOP
        IF to_regprocedure(format('locks.%I(%s)', one.name, one.types)) IS NULL THEN
            EXECUTE format('CREATE FUNCTION locks.%I(%s) RETURNS text %s', one.name, one.types, body);
        END IF;
    END LOOP;
END
$$;
