package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.signal.Listening;
import dev.holdfast.lock.spi.signal.Source;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** LISTEN on a connection that does nothing else. */
final class Listener implements Source {

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

    private static final Duration SILENCE = Duration.ofSeconds(15);

    private static final Duration ROUND_TRIP = Duration.ofSeconds(5);

    /** A caller's connection is given back as it was, and cannot be aborted for that: it is looked at so often. */
    private static final Duration TURN = Duration.ofMillis(100);

    private final Connections connections;
    private final String channel;
    private final Duration silence;
    private final Duration roundTrip;
    private volatile @Nullable Connection current;

    Listener(Connections connections, Namespace namespace) {
        this(connections, namespace, SILENCE, ROUND_TRIP);
    }

    /**
     * @param silence after which to ask whether anybody is still there
     * @param roundTrip how long the answer to that may take, and to whatever else it asks
     */
    Listener(Connections connections, Namespace namespace, Duration silence, Duration roundTrip) {
        this.connections = connections;
        this.channel = Channel.of(namespace);
        this.silence = silence;
        this.roundTrip = roundTrip;
    }

    @Override
    public void follow(Listening listening) throws SQLException {
        try (Connection connection = connections.direct().getConnection()) {
            current = connection;
            if (connections.foreign()) {
                onCallers(connection, listening);
            } else {
                listen(connection, silence, listening);
            }
        } finally {
            current = null;
        }
    }

    private void onCallers(Connection connection, Listening listening) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        try {
            listen(connection, TURN, listening);
        } finally {
            if (!connection.isClosed()) {
                execute(connection, "UNLISTEN " + channel);
                new Notifications(connection).next(1); // what came too late
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private void listen(Connection connection, Duration turn, Listening listening) throws SQLException {
        Notifications notifications = new Notifications(connection);
        execute(connection, "LISTEN " + channel);
        listening.connected();
        long lastWord = System.nanoTime();
        while (!listening.isClosed()) {
            for (String payload : notifications.next((int) turn.toMillis())) {
                listening.tell(Channel.signal(payload));
                lastWord = System.nanoTime();
            }
            if (System.nanoTime() - lastWord >= silence.toNanos()) {
                execute(connection, "SELECT 1");
                lastWord = System.nanoTime();
            }
        }
    }

    private void execute(Connection connection, String sql) throws SQLException {
        Session.call(connection, connections.foreign(), Deadline.in(roundTrip), (own, millis) -> {
            try (Statement statement = own.createStatement()) {
                return statement.execute(sql);
            }
        });
    }

    /** Cuts the connection, if it is ours to cut: it may be waiting for a word. */
    @Override
    public void end() {
        Connection connection = current;
        if (connection != null && !connections.foreign()) {
            try {
                connection.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("the connection for signals was not cut", e);
            }
        }
    }
}
