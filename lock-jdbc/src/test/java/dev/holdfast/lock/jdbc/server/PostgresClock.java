package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * The clock of one database, which stands still until it is stepped: the functions of Holdfast read a table instead of the
 * server's clock. Other queries go on reading the clock.
 */
public final class PostgresClock implements AutoCloseable {

    private static final String MAKE = """
            CREATE TABLE stepped_clock (instant timestamptz NOT NULL);
            INSERT INTO stepped_clock VALUES (clock_timestamp());
            DO $make$
            DECLARE
                schema CONSTANT text := quote_ident(current_schema());
                each   record;
                made   integer := 0;
            BEGIN
                EXECUTE 'CREATE FUNCTION stepped_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT instant FROM '
                    || schema || '.stepped_clock $$';
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

    private final Connection connection;

    /**
     * Takes the clock over.
     *
     * @param url of a database in which the tables of Holdfast are
     */
    public PostgresClock(PostgresServer server, String url) {
        try {
            connection = server.connect(url); // one for all steps, as each costs a process
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        execute(MAKE);
    }

    /** Commands it, also back. */
    public void step(Duration by) {
        execute("UPDATE stepped_clock SET instant = instant + " + by.toMillis() + " * interval '1 millisecond'");
    }

    /** What it shows, in microseconds. */
    public Instant instant() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT instant FROM stepped_clock")) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The database keeps the stepped clock, which shows the same from now on. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
