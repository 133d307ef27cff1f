package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.signal.Source;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** A kind of database. Thread-safe. */
public interface Database {

    /** What its tables and functions have to look like. */
    Shape shape();

    /** Where the statements are that make them, in their order. */
    Scripts scripts();

    /** What is there: one quick question. */
    Shape.Found look(Connection connection) throws SQLException;

    /** Does something while no other thread or process does, waiting for its turn until the deadline. */
    void alone(Connections connections, Deadline deadline, Exclusive work) throws SQLException;

    /**
     * Carries out the steps, each atomic by itself, in short transactions of their own.
     *
     * @return one answer per step, in the order of the steps
     * @throws SQLException if the outcome of every step is unknown
     */
    List<Answer> apply(Connections connections, Namespace namespace, List<Step> steps, Deadline deadline)
            throws SQLException;

    /**
     * Makes sure that the locks of this namespace are not a composite's. Only where a composite can be.
     *
     * @throws LockConfigurationException if they are
     */
    default void requireUnruled(Connections connections, Namespace namespace, Deadline deadline) throws SQLException {}

    /** What it can do beyond the steps. */
    Set<Capability> capabilities();

    /** Tells whose turn it is in this namespace; needs {@link Capability#SIGNALS}. Nothing is connected yet. */
    Source signals(Connections connections, Namespace namespace);

    /** The locks of a range of names that are held, kept by a minimum hold or waited for, in the order of their names. */
    List<LockInfo> inspect(Connections connections, Namespace namespace, Range range, Deadline deadline)
            throws SQLException;

    /** What weakens a promise. */
    List<Finding> examine(Connections connections, JdbcUrl url, Deadline deadline) throws SQLException;

    /** Ends what runs by itself, before the connections are closed. */
    default void close() {}

    /** What is done while alone. */
    @FunctionalInterface
    interface Exclusive {
        /** Does it. */
        void run() throws SQLException;
    }
}
