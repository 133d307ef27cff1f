package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.DatabaseSchema;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A kind of database. Thread-safe. */
public interface Database extends DatabaseSchema {

    /**
     * Prepares for connections of the application.
     *
     * @param schema that the application's pool is configured to set on each connection; empty if it sets none
     */
    default void expectApplicationsConnections(Optional<String> schema) {}

    /**
     * Executes the commands, each atomic by itself, in short transactions.
     *
     * @return one reply per command, in the order of the commands
     * @throws SQLException if the outcome of every command is unknown
     */
    List<LockReply> execute(Connections connections, Namespace namespace, List<LockCommand> commands, Deadline deadline)
            throws SQLException;

    /**
     * The number of callers' transactions that run better in parallel than as one.
     *
     * @param connections the maximum number of connections
     */
    default int parallelCalls(int connections) {
        return 1;
    }

    /**
     * Checks that the namespace does not belong to a composite, in a database that can be the authority of one.
     *
     * @throws LockConfigurationException if it does
     */
    default void requireNoComposite(Connections connections, Namespace namespace, Deadline deadline)
            throws SQLException {}

    /** The capabilities of the store beyond the commands. */
    Set<Capability> capabilities();

    /** The notifications for waiters of this namespace; needs {@link Capability#NOTIFICATIONS}. Connects once it is followed. */
    NotificationSource notifications(Connections connections, Namespace namespace);

    /** See {@link dev.holdfast.lock.spi.LockStore#notificationDelay}. */
    default Duration notificationDelay() {
        return Duration.ZERO;
    }

    /** The locks of a range of names that are held, in a minimum hold or waited for, in the order of their names. */
    List<LockInfo> list(Connections connections, Namespace namespace, LockRange range, Deadline deadline)
            throws SQLException;

    /** Findings about settings that weaken a guarantee. */
    List<Finding> diagnose(Connections connections, JdbcUrl url, Deadline deadline) throws SQLException;

    /** Stops background work, before the connections are closed. */
    default void close() {}
}
