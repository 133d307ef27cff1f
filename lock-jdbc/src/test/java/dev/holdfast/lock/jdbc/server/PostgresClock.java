package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The clock of one database, which stands still until it is stepped: the functions of Holdfast read a table instead of the
 * server's clock. Other queries go on reading the clock.
 */
public final class PostgresClock extends SteppedClock {

    private static final String MAKE = """
            UPDATE stepped_clock SET micros = round(extract(epoch FROM clock_timestamp()) * 1000000);
            DO $make$
            DECLARE
                schema CONSTANT text := quote_ident(current_schema());
                each   record;
                made   integer := 0;
            BEGIN
                EXECUTE 'CREATE FUNCTION stepped_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$'
                    || ' SELECT timestamptz ''epoch'' + micros * interval ''1 microsecond'' FROM ' || schema
                    || '.stepped_clock $$';
                FOR each IN
                    SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
                    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname LIKE 'holdfast%'
                        AND p.prosrc LIKE '%clock_timestamp()%'
                LOOP
                    EXECUTE replace(each.definition, 'clock_timestamp()', schema || '.stepped_clock()');
                    made := made + 1;
                END LOOP;
                IF made < 5 THEN
                    RAISE EXCEPTION 'only % functions of Holdfast read the clock', made;
                END IF;
                UPDATE holdfast_schema SET functions = holdfast_fingerprint(schema); -- stores accept the altered functions
            END
            $make$
            """;

    /**
     * Takes the clock over.
     *
     * @param url of a database in which the tables of Holdfast are
     */
    public PostgresClock(PostgresServer server, String url) {
        super(connect(server, url)); // one for all steps, as each costs a process
        execute(MAKE);
    }

    private static Connection connect(PostgresServer server, String url) {
        try {
            return server.connect(url);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
