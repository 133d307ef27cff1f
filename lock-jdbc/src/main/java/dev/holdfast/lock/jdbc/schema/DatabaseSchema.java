package dev.holdfast.lock.jdbc.schema;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The tables and functions of a database. Thread-safe. */
public interface DatabaseSchema {

    /** The scripts that create the tables and functions. */
    SchemaScripts scripts();

    /** Compares what the database contains with what this version of Holdfast needs. */
    SchemaState inspectSchema(Connection connection) throws SQLException;

    /** Runs the task while no other thread or process does, waiting for its turn until the deadline. */
    void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException;

    /**
     * The limit for a table change's wait for other transactions, as a session sets it; empty if the database limits it to a
     * moment anyway. All commands wait behind such a change.
     */
    default Optional<SchemaLockLimit> schemaLockLimit() {
        return Optional.empty();
    }

    /** A change of the schema. */
    @FunctionalInterface
    interface SchemaTask {
        /** Makes the change. */
        void run() throws SQLException;
    }
}
