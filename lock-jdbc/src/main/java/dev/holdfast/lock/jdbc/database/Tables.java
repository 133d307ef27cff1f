package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.spi.Deadline;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Sees to it that the tables are there: one look, and only if something is missing, a migration. */
public final class Tables {

    private final Database database;
    private final Connections connections;
    private final Deadline deadline;

    /** @param deadline for looking, and for waiting until another process has made them */
    public Tables(Database database, Connections connections, Deadline deadline) {
        this.database = database;
        this.connections = connections;
        this.deadline = deadline;
    }

    /**
     * Checks the tables, and makes them if they are missing.
     *
     * @param leftAlone why they are not made; empty if they are
     * @throws LockConfigurationException if they are missing and cannot be made, or are of another shape
     * @throws SQLException if the database could not be asked
     */
    public void ensure(Optional<String> leftAlone) throws SQLException {
        if (differences().isEmpty()) {
            return;
        }
        if (leftAlone.isPresent()) {
            throw unfit(leftAlone.get());
        }
        database.alone(connections, deadline, this::make);
    }

    private void make() throws SQLException {
        Shape.Found found = look();
        if (database.shape().differences(found).isEmpty()) {
            return; // another process was faster
        }
        if (!found.elsewhere().isEmpty()) { // a second set of tables would be made, whose locks nobody there hears of
            String there = String.join(" and ", found.elsewhere());
            throw unfit("and tables are in " + there + ", which is not the first schema of the search path: what is"
                    + " missing would be made in another (put " + there + " first, as by ?currentSchema=)");
        }
        boolean ours = found.isEmpty() || found.history();
        if (!ours && !database.shape().differencesOfTables(found).isEmpty()) {
            throw unfit("and it was not Holdfast that made what is there");
        }
        if (!isFlywayThere()) {
            throw unfit("and flyway-core, which would make them, is not on the class path (on a module path:"
                    + " --add-modules flyway.core)");
        }
        try (Connection connection = connections.forTables(deadline)) {
            Migration.run(database.scripts(), new OneConnection(connection));
        } catch (LinkageError e) {
            throw unfit(
                    "and the Flyway on the class path, which would make them, is of an unknown version (" + e + ")");
        }
        if (!differences().isEmpty()) {
            throw unfit("even after the migration");
        }
    }

    /** Asked here, as {@link Migration} cannot even be loaded without it. */
    private static boolean isFlywayThere() {
        try {
            Class.forName("org.flywaydb.core.Flyway", false, Tables.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private Shape.Found look() throws SQLException {
        return connections.with(deadline, database::look);
    }

    private List<String> differences() throws SQLException {
        return database.shape().differences(look());
    }

    private LockConfigurationException unfit(String why) throws SQLException {
        Shape.Found found = look();
        String byHand = "run " + String.join(", then ", database.scripts().names()) + ", in lock-jdbc's jar under "
                + database.scripts().folder();
        return new LockConfigurationException(
                found.isEmpty()
                        ? "there are no tables of Holdfast, " + why + ": " + byHand
                        : "the tables of Holdfast do not serve, " + why + ": "
                                + String.join("; ", database.shape().differences(found)) + ". To make what is missing, "
                                + byHand);
    }
}
