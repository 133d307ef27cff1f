package dev.holdfast.lock.jdbc.schema;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.schema.SchemaState.Status;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that the tables and functions are there and of the version that this Holdfast needs: inspects them and, only if
 * something is missing or older, has Flyway create it, and creates the functions. Clients of the older version go on meanwhile.
 */
public final class SchemaInstaller {

    private static final Logger log = LoggerFactory.getLogger(SchemaInstaller.class);

    /** Time reserved for the last look at the tables, however long everything else took. */
    private static final Duration LEAST = Duration.ofSeconds(1);

    /**
     * The pause between two attempts to change tables that other transactions use, for the commands that waited behind the last
     * one.
     */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final DatabaseSchema database;
    private final Connections connections;
    private final Deadline deadline;

    /** @param deadline for inspecting, and for waiting for another process to create the tables */
    public SchemaInstaller(DatabaseSchema database, Connections connections, Deadline deadline) {
        this.database = database;
        this.connections = connections;
        this.deadline = deadline;
    }

    /**
     * Inspects the tables and functions, and creates what is missing or older.
     *
     * @param notCreated the reason why nothing is to be created or changed; empty if it may be
     * @throws LockConfigurationException if something is missing or older and cannot be created, or is for newer versions only
     * @throws LockUnavailableException if other transactions are in the way
     * @throws SQLException if the database did not reply
     */
    public void ensureInstalled(Optional<String> notCreated) throws SQLException {
        connections.runApart(deadline, () -> {
            installIfMissing(notCreated);
            return notCreated;
        });
    }

    private void installIfMissing(Optional<String> notCreated) throws SQLException {
        SchemaState state = inspect();
        if (!state.isCurrent()) {
            if (notCreated.isPresent()) {
                throw unusable(state, notCreated.get());
            }
            database.runExclusively(connections, deadline, this::install);
            state = inspect();
        }
        int own = database.scripts().version();
        if (state.version() > own) {
            log.info(
                    "the tables of Holdfast are of version {}, newer than version {} of this Holdfast, and serve it, too",
                    state.version(),
                    own);
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
        if (state.status() == Status.INCOMPATIBLE) {
            throw unusable(state, "Holdfast changes only tables that it knows");
        }
        if (state.status() != Status.LACKS_FUNCTIONS) {
            createTables(state);
            state = inspect();
        }
        if (state.status() == Status.LACKS_FUNCTIONS) {
            log.info("creating the functions of Holdfast, of version {}: {}", state.version(), state.problem());
            createFunctions(state);
            state = inspect();
        }
        if (!state.isCurrent()) {
            throw unusable(state, "Flyway, whose history is in holdfast_history, did not repair them");
        }
    }

    private void createTables(SchemaState state) throws SQLException {
        if (!isFlywayPresent()) {
            throw unusable(
                    state,
                    "flyway-core, which would create them, is not on the class path (on a module path:"
                            + " --add-modules flyway.core)");
        }
        if (state.version() > 0) {
            log.info("changing the tables of Holdfast: {}; clients of older versions go on", state.problem());
        }
        SQLException failure;
        do {
            try (Connection connection = connections.openForSchema(deadline)) {
                DatabaseSchema.SchemaTask migration = () ->
                        FlywayMigration.run(database.scripts(), state.version(), connection, connections.errors());
                Optional<SchemaLockLimit> limit = database.schemaLockLimit();
                if (limit.isPresent()) {
                    limit.get().runLimited(connection, migration);
                } else {
                    migration.run();
                }
                return;
            } catch (LinkageError e) {
                throw unusable(
                        state,
                        "the Flyway on the class path, which would create them, is of an unknown version (" + e + ")");
            } catch (SQLException e) {
                failure = e;
            }
        } while (canRepeat(failure));
        if (isInTheWay(failure)) {
            throw new LockUnavailableException(
                    "the tables of Holdfast cannot be changed (" + state.problem()
                            + "), as another transaction uses them: end it, such as a dump of the database or an idle"
                            + " session, and open the locks again",
                    failure);
        }
        throw failure;
    }

    private boolean canRepeat(SQLException failure) {
        if (isInTheWay(failure) && !deadline.isOver()) {
            LockSupport.parkNanos(PAUSE_NANOS);
            return !Thread.currentThread().isInterrupted();
        }
        return false;
    }

    private boolean isInTheWay(SQLException failure) {
        ErrorClass meaning = connections.errors().classify(failure);
        return meaning == ErrorClass.LOCK_TIMEOUT
                || meaning == ErrorClass.DATABASE_BUSY
                || meaning == ErrorClass.ROLLED_BACK;
    }

    private void createFunctions(SchemaState state) throws SQLException {
        String script = database.scripts().functions().orElseThrow().text();
        try {
            connections.with(deadline, connection -> {
                connections.limitSilenceUnlessApplications(connection, deadline);
                try (Statement statement = connection.createStatement()) {
                    return statement.execute(script);
                }
            });
        } catch (SQLException e) {
            ErrorClass meaning = connections.errors().classify(e);
            if (meaning.isOutage() || meaning == ErrorClass.CONNECTION_LOST || meaning == ErrorClass.ROLLED_BACK) {
                throw e;
            }
            throw unusable(state, "they cannot be created: " + e.getMessage(), e);
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
        return unusable(state, reason, null);
    }

    private LockConfigurationException unusable(SchemaState state, String reason, @Nullable SQLException cause) {
        String found = state.status() == Status.ABSENT
                ? "there are no tables of Holdfast"
                : "the tables of Holdfast cannot be used: " + state.problem();
        SchemaScripts scripts = database.scripts();
        if (state.version() > scripts.version()) {
            return new LockConfigurationException(found + "; " + reason, cause);
        }
        boolean lacksTables = state.status() != Status.LACKS_FUNCTIONS;
        List<String> lacking =
                scripts.namesAfter(lacksTables && state.version() == scripts.version() ? 0 : state.version());
        String verb = state.version() > 0 && state.version() < scripts.version() ? "upgrade" : "create";
        return new LockConfigurationException(
                found + "; " + reason + ". To " + verb + " them by hand, run " + String.join(", then ", lacking)
                        + ", in lock-jdbc's jar under " + scripts.folder(),
                cause);
    }
}
