package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Looks for a pooler in between, such as PgBouncer, that lends sessions of the server for a transaction only. */
final class Pooler {

    private static final int TIMES = 3;

    /** An application's pool may have no second connection now. */
    private static final Duration SECOND = Duration.ofSeconds(1);

    private Pooler() {}

    /**
     * What is found: a connection that is served by several sessions of the server, or two that are served by one. Where there is
     * no second connection, and nothing else is going on, it may stay hidden.
     */
    static Optional<Finding> find(Connection connection, Connections connections) throws SQLException {
        Set<Integer> sessions = new HashSet<>();
        for (int time = 0; time < TIMES; time++) {
            sessions.add(session(connection));
        }
        boolean isLent = sessions.size() > 1 || sessions.contains(sessionOfAnother(connections));
        return isLent
                ? Optional.of(Finding.warning(
                        "pooler",
                        "a pooler lends sessions of the server for a transaction only, as PgBouncer does with"
                                + " pool_mode=transaction: LISTEN is not heard, so that a waiter learns seconds later"
                                + " that its turn has come; and what the driver prepares may be missing in the next"
                                + " session",
                        "name the server itself in the URL, or a pool with pool_mode=session"))
                : Optional.empty();
    }

    private static int sessionOfAnother(Connections connections) {
        try {
            if (connections.foreign()) {
                return connections.with(Deadline.in(SECOND), Pooler::session);
            }
            try (Connection another = connections.direct().getConnection()) {
                return session(another);
            }
        } catch (SQLException e) {
            return 0; // which is no session's
        }
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
