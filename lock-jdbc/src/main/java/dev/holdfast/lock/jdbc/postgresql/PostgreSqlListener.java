package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import dev.holdfast.lock.spi.support.ReconnectingListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** LISTEN on a dedicated connection. */
final class PostgreSqlListener implements NotificationSource {

    private static final Logger log = LoggerFactory.getLogger(PostgreSqlListener.class);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(15);

    private static final Duration ROUND_TRIP = Duration.ofSeconds(5);

    /** An application's connection is returned intact, so it cannot be aborted: the listener checks this often whether to stop. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    private final Connections connections;
    private final String channel;
    private final Duration checkInterval;
    private final Duration roundTrip;
    private volatile @Nullable Connection current;

    PostgreSqlListener(Connections connections, Namespace namespace) {
        this(connections, namespace, CHECK_INTERVAL, ROUND_TRIP);
    }

    /**
     * For tests.
     *
     * @param checkInterval the time without a notification after which the connection is checked
     * @param roundTrip the timeout of that check, and of every other statement
     */
    PostgreSqlListener(Connections connections, Namespace namespace, Duration checkInterval, Duration roundTrip) {
        this.connections = connections;
        this.channel = NotificationChannel.of(namespace);
        this.checkInterval = checkInterval;
        this.roundTrip = roundTrip;
    }

    @Override
    public void listen(ReconnectingListener listening) throws SQLException {
        try (Connection connection = connections.direct().getConnection()) {
            current = connection;
            if (connections.areApplications()) {
                listenOnApplicationConnection(connection, listening);
            } else {
                listen(connection, checkInterval, listening);
            }
        } finally {
            current = null;
        }
    }

    private void listenOnApplicationConnection(Connection connection, ReconnectingListener listening)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            listen(connection, POLL_INTERVAL, listening);
        } finally {
            if (!connection.isClosed()) {
                execute(connection, "UNLISTEN " + channel);
                new DriverNotifications(connection).await(1); // drops those that came too late
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private void listen(Connection connection, Duration wait, ReconnectingListener listening) throws SQLException {
        DriverNotifications notifications = new DriverNotifications(connection);
        execute(connection, "LISTEN " + channel);
        listening.connected();
        long lastSign = System.nanoTime();
        while (!listening.isClosed()) {
            for (String payload : notifications.await((int) wait.toMillis())) {
                listening.deliver(NotificationChannel.parse(payload));
                lastSign = System.nanoTime();
            }
            if (System.nanoTime() - lastSign >= checkInterval.toNanos()) {
                execute(connection, "SELECT 1");
                lastSign = System.nanoTime();
            }
        }
    }

    private void execute(Connection connection, String sql) throws SQLException {
        new PostgreSqlCall<Boolean>(connections, Deadline.in(roundTrip), null) {
            @Override
            Boolean execute(Connection own, int millisLeft) throws SQLException {
                try (Statement statement = own.createStatement()) {
                    return statement.execute(sql);
                }
            }
        }.on(connection);
    }

    /** Aborts the store's own connection, which may be waiting for a notification. */
    @Override
    public void stop() {
        Connection connection = current;
        if (connection != null && !connections.areApplications()) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                log.debug("the connection for notifications was not aborted", e);
            }
        }
    }
}
