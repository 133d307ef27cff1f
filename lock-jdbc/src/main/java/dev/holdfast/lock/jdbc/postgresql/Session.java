package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.DriverSource;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.connection.Pool;
import dev.holdfast.lock.jdbc.postgresql.driver.PromptSockets;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/** The settings of a connection: our own from the start, a caller's for the time of a call. */
public final class Session {

    /** What our function says to any isolation but READ COMMITTED. */
    private static final String WRONG_ISOLATION = "HF001";

    private Session() {}

    /**
     * Opens a pool of our own.
     *
     * @param timeout of a call, so that the server gives up about when we do
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
        // Whatever the role's and the database's defaults are. How durable a commit is, the function itself sees to.
        String preparation = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;"
                + "SET statement_timeout = " + seconds * 1_000;
        DriverSource source = new DriverSource(url.value(), properties).naming("socketFactory", PromptSockets.class);
        return new Pool(source, poolSize, preparation);
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
            return call.on(connection, millis);
        } catch (SQLException e) {
            if (foreign && WRONG_ISOLATION.equals(e.getSQLState())) {
                return readCommitted(connection, millis, call);
            }
            throw e;
        } finally {
            // The pool of our own sets it back by itself.
            if (foreign && !connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        }
    }

    private static <T> T readCommitted(Connection connection, int millis, Call<T> call) throws SQLException {
        int before = connection.getTransactionIsolation();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try {
            return call.on(connection, millis);
        } finally {
            if (!connection.isClosed()) {
                connection.setTransactionIsolation(before);
            }
        }
    }

    /** One round trip. */
    @FunctionalInterface
    interface Call<T> {
        T on(Connection connection, int millis) throws SQLException;
    }
}
