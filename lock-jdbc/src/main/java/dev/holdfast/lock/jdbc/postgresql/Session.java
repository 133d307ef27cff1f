package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.DriverSource;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.connection.Pool;
import dev.holdfast.lock.jdbc.postgresql.driver.PromptSockets;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * The settings of a connection. None is changed for longer than a transaction: behind a pooler the next one may be another
 * client's. Only where the role's defaults are others than ours need, those of our own connections are set, once.
 */
public final class Session {

    /** What our function says to any isolation but READ COMMITTED. */
    private static final String WRONG_ISOLATION = "HF001";

    private static final String PREPARATION = "SELECT pg_catalog.set_config(s.name, s.value, false) FROM (VALUES"
            + " ('default_transaction_isolation', 'read committed'), ('default_transaction_read_only', 'off'))"
            + " AS s (name, value) WHERE pg_catalog.current_setting(s.name) <> s.value";

    private Session() {}

    /**
     * Opens a pool of our own.
     *
     * @param timeout of a call, so that the driver gives up about when we do
     * @throws SQLException if there is no first connection
     */
    public static Connections open(
            JdbcUrl url, Optional<String> username, Optional<String> password, int poolSize, Duration timeout)
            throws SQLException {
        long seconds = Math.max(1, Math.min(timeout.plusMillis(999).toSeconds(), 600));
        Properties properties = new Properties();
        username.ifPresent(value -> properties.setProperty("user", value));
        password.ifPresent(value -> properties.setProperty("password", value));
        properties.setProperty("ApplicationName", "holdfast");
        properties.setProperty("connectTimeout", Long.toString(seconds));
        properties.setProperty("socketTimeout", Long.toString(seconds));
        properties.setProperty("tcpKeepAlive", "true");
        // How long to wait for a lock, and how durable a commit is, each function sees to by itself.
        DriverSource source = new DriverSource(url.value(), properties).naming("socketFactory", PromptSockets.class);
        return new Pool(source, poolSize, PREPARATION, Deadline.in(timeout));
    }

    /** Asks on a connection of these. */
    static <T> T ask(Connections connections, Deadline deadline, Call<T> call) throws SQLException {
        return connections.with(deadline, connection -> call(connection, connections.foreign(), deadline, call));
    }

    /** Lets the server be silent until the deadline and no longer; then the connection is closed. */
    static <T> T call(Connection connection, boolean foreign, Deadline deadline, Call<T> call) throws SQLException {
        int before = foreign ? connection.getNetworkTimeout() : 0;
        int millis = Math.max(Connections.LEAST_SILENCE, deadline.millisLeft());
        connection.setNetworkTimeout(Runnable::run, millis);
        try {
            T result = once(connection, millis, call);
            call.afterwards(connection, deadline);
            return result;
        } catch (SQLException e) {
            if (Failures.UNCONFIRMED.equals(e.getSQLState())) {
                call.afterwards(connection, deadline); // others see what was done
            }
            throw e;
        } finally {
            // The pool of our own sets it back by itself.
            if (foreign && !connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        }
    }

    private static <T> T once(Connection connection, int millis, Call<T> call) throws SQLException {
        try {
            return call.on(connection, millis);
        } catch (SQLException e) {
            if (!WRONG_ISOLATION.equals(e.getSQLState())) {
                throw e;
            }
        }
        connection.setAutoCommit(false);
        try (Statement own = connection.createStatement()) {
            own.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            T result = call.on(connection, millis);
            own.execute("COMMIT");
            Standbys.ensureConfirmed(own);
            return result;
        } finally {
            if (!connection.isClosed()) {
                connection.rollback(); // what was not committed
                connection.setAutoCommit(true);
            }
        }
    }

    /** One round trip, and a transaction of its own, unless it needs another isolation than the connection has. */
    @FunctionalInterface
    interface Call<T> {
        T on(Connection connection, int millis) throws SQLException;

        /** What is done once that is committed, though it may not be confirmed. */
        default void afterwards(Connection connection, Deadline deadline) {}

        /** Whether this result was answered only once the synchronous standbys had confirmed it, if the server has any. */
        default boolean hasWaited(T result) {
            return false;
        }
    }
}
