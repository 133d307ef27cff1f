package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Namespace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes sure that a namespace is not a composite's: at the opening, and then once a minute while it is used, as a composite may be
 * founded by another process at any time. Thread-safe.
 */
final class Unruled {

    static final Duration PAUSE = Duration.ofMinutes(1);

    private final Duration pause;
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    /** @param pause for how long it is not looked again */
    Unruled(Duration pause) {
        this.pause = pause;
    }

    /** @throws LockConfigurationException if it is */
    void require(Connections connections, String tables, Namespace namespace, Deadline deadline) throws SQLException {
        String question = "SELECT FROM " + tables + ".holdfast_regime r WHERE r.namespace = ?";
        boolean ruled = Session.ask(connections, deadline, (connection, millis) -> {
            try (PreparedStatement statement = connection.prepareStatement(question)) {
                statement.setString(1, namespace.value());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next();
                }
            }
        });
        if (ruled) {
            throw new LockConfigurationException(
                    "the namespace " + namespace + " of this database belongs to a composite:"
                            + " use lock.provider=composite, as the others do, or another lock.namespace");
        }
        next.set(System.nanoTime() + pause.toNanos());
    }

    /** As {@link #require}, unless it was made sure of a short while ago. */
    void requireNowAndThen(Connections connections, String tables, Namespace namespace, Deadline deadline)
            throws SQLException {
        if (System.nanoTime() - next.get() >= 0) {
            require(connections, tables, namespace, deadline);
        }
    }
}
