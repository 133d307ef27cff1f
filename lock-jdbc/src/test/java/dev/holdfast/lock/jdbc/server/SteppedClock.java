package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** A clock in a table, which stands still until it is stepped. */
public class SteppedClock implements AutoCloseable {

    private final Connection connection;

    /**
     * Makes the table, unless it is there.
     *
     * @param connection its own, for all steps; closed with it
     */
    public SteppedClock(Connection connection) {
        this.connection = connection;
        execute("CREATE TABLE IF NOT EXISTS stepped_clock (micros BIGINT NOT NULL)");
        execute("DELETE FROM stepped_clock");
        execute("INSERT INTO stepped_clock VALUES (" + Instant.now().toEpochMilli() * 1_000 + ")");
    }

    /** Commands it, also back. */
    public void step(Duration by) {
        execute("UPDATE stepped_clock SET micros = micros + " + by.toNanos() / 1_000);
    }

    /** What it shows. */
    public Instant instant() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT micros FROM stepped_clock")) {
            row.next();
            return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    final void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The database keeps it, and it shows the same from now on. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
