package dev.holdfast.lock.jdbc.schema;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Makes sure that the tables are there: inspects them, and only if something is missing, has Flyway create it. */
public final class SchemaInstaller {

    /** For the last look at the tables, whatever else took its time. */
    private static final Duration LEAST = Duration.ofSeconds(1);

    private final Database database;
    private final Connections connections;
    private final Deadline deadline;

    /** @param deadline for inspecting, and for waiting until another process has created the tables */
    public SchemaInstaller(Database database, Connections connections, Deadline deadline) {
        this.database = database;
        this.connections = connections;
        this.deadline = deadline;
    }

    /**
     * Inspects the tables, and creates them if they are missing.
     *
     * @param notCreated the reason why missing tables are not created; empty if they are
     * @throws LockConfigurationException if they are missing and cannot be created, or are of another version
     * @throws SQLException if the database did not reply
     */
    public void ensureInstalled(Optional<String> notCreated) throws SQLException {
        SchemaState state = inspect();
        if (!state.isCurrent()) {
            if (notCreated.isPresent()) {
                throw unusable(state, notCreated.get());
            }
            database.runExclusively(connections, deadline, this::install);
        }
    }

    private void install() throws SQLException {
        SchemaState state = inspect();
        if (state.isCurrent()) {
            return; // another process was faster
        }
        if (state.elsewhere().isPresent()) { // else a second set of tables would be created, with locks of its own
            String schema = state.elsewhere().get();
            throw unusable(
                    state,
                    "they are in the schema " + schema
                            + ", which is not the first of the search path, where missing ones would"
                            + " be created (put " + schema + " first, for example with ?currentSchema=)");
        }
        if (state.status() == SchemaState.Status.INCOMPATIBLE) {
            throw unusable(state, "Holdfast changes only tables that it created");
        }
        if (!isFlywayPresent()) {
            throw unusable(
                    state,
                    "flyway-core, which would create them, is not on the class path (on a module path:"
                            + " --add-modules flyway.core)");
        }
        try (Connection connection = connections.openForSchema(deadline)) {
            FlywayMigration.run(database.scripts(), connection, connections.errors());
        } catch (LinkageError e) {
            throw unusable(
                    state,
                    "the Flyway on the class path, which would create them, is of an unknown version (" + e + ")");
        }
        SchemaState result = inspect();
        if (!result.isCurrent()) {
            throw unusable(result, "Flyway, whose history is in holdfast_history, did not repair them");
        }
    }

    /** Checked here, as {@link FlywayMigration} cannot be loaded without Flyway. */
    private static boolean isFlywayPresent() {
        try {
            Class.forName("org.flywaydb.core.Flyway", false, SchemaInstaller.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private SchemaState inspect() throws SQLException {
        return connections.with(deadline, connection -> {
            Deadline least = Deadline.in(LEAST);
            connections.limitSilenceUnlessApplications(
                    connection, deadline.nanos() - least.nanos() < 0 ? least : deadline);
            return database.inspectSchema(connection);
        });
    }

    private LockConfigurationException unusable(SchemaState state, String reason) {
        String found = state.status() == SchemaState.Status.ABSENT
                ? "there are no tables of Holdfast"
                : "the tables of Holdfast cannot be used: " + state.problem();
        return new LockConfigurationException(found + "; " + reason + ". To create them by hand, run "
                + String.join(", then ", database.scripts().names()) + ", in lock-jdbc's jar under "
                + database.scripts().folder());
    }
}
