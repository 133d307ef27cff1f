package dev.holdfast.lock.jdbc.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * The tables and functions in a database, compared with those that this Holdfast needs.
 *
 * @param status whether they can be used, or created
 * @param problem the problem, for people; empty if they can be used
 * @param version of the tables; 0 if they have none
 * @param elsewhere a schema that has the tables, although missing ones would be created in another; empty if there is none
 */
public record SchemaState(Status status, String problem, int version, Optional<String> elsewhere) {

    /** The table with the version. */
    public static final String TABLE = "holdfast_schema";

    /** The table with Flyway's history. */
    public static final String HISTORY = "holdfast_history";

    private static final String DAMAGED = "a function is missing, altered, or bound to a schema that was renamed since";

    /** Whether the schema can be used, or created. */
    public enum Status {
        /** It can be used. */
        CURRENT,
        /** It is empty, and can be created. */
        ABSENT,
        /** Tables are missing or of an older version, and can be created or changed. */
        LACKS_TABLES,
        /** The tables can be used; functions are missing, altered, or not those of this Holdfast, and can be created. */
        LACKS_FUNCTIONS,
        /** The tables are for newer versions only, damaged by other means, or not Holdfast's. */
        INCOMPATIBLE
    }

    /** The state of the functions, by the notes that their script leaves in the database. */
    public enum Functions {
        /** They are those of this Holdfast, or the database needs none. */
        CURRENT,
        /** They were created by another script, of another version or with a correction. */
        OTHER,
        /** They differ from those that their script created. */
        DAMAGED
    }

    /**
     * The versions in {@code holdfast_schema}.
     *
     * @param tables of the tables
     * @param oldestClient the oldest version whose clients may use them
     */
    public record Version(int tables, int oldestClient) {}

    /**
     * The contents of a database.
     *
     * @param isAbsent whether there is nothing of Holdfast
     * @param missingTables the names of tables that are needed, but missing
     * @param version empty if it is missing, as the script of the tables writes it last
     * @param isMigrated whether Flyway has run in the schema
     * @param functions their state
     * @param elsewhere see {@link SchemaState}
     */
    public record Contents(
            boolean isAbsent,
            List<String> missingTables,
            Optional<Version> version,
            boolean isMigrated,
            Functions functions,
            Optional<String> elsewhere) {}

    /**
     * Decides the status of a schema. Tables of a newer version serve as well, unless they are for newer clients only; only a newer
     * Holdfast repairs them.
     *
     * @param own the version of the tables that this Holdfast creates
     */
    public static SchemaState of(Contents contents, int own) {
        int found = contents.version().map(Version::tables).orElse(0);
        int oldestClient = contents.version().map(Version::oldestClient).orElse(0);
        Status status = Status.CURRENT;
        String problem = "";
        if (contents.isAbsent()) {
            status = Status.ABSENT;
            problem = "there are none";
        } else if (found == 0 && !contents.isMigrated()) {
            status = Status.INCOMPATIBLE;
            problem =
                    "there are tables or functions with names of Holdfast, but their version is not in holdfast_schema";
        } else if (found > own && oldestClient > own) {
            status = Status.INCOMPATIBLE;
            problem = "they are of version " + found + " and serve clients of version " + oldestClient
                    + " or newer, and this Holdfast is of version " + own + ": use a newer one here";
        } else if (found > 0 && found < own) {
            status = Status.LACKS_TABLES;
            problem = "they are of version " + found + ", this Holdfast needs version " + own;
        } else if (!contents.missingTables().isEmpty()) {
            status = found > own ? Status.INCOMPATIBLE : Status.LACKS_TABLES;
            problem = "missing tables: " + String.join(", ", contents.missingTables());
        } else if (found == 0) {
            status = Status.LACKS_TABLES;
            problem = "their version is missing in holdfast_schema, which the script of the tables writes last";
        } else if (contents.functions() == Functions.DAMAGED) {
            status = found > own ? Status.INCOMPATIBLE : Status.LACKS_FUNCTIONS;
            problem = DAMAGED;
        } else if (contents.functions() == Functions.OTHER && found == own) {
            status = Status.LACKS_FUNCTIONS;
            problem = "the functions are those of another Holdfast, older or with other corrections";
        }
        if (status == Status.INCOMPATIBLE && found > own && oldestClient <= own) {
            problem += ", and they are of version " + found + ", which this Holdfast of version " + own
                    + " does not repair: a newer one does";
        }
        return new SchemaState(status, problem, found, contents.elsewhere());
    }

    /**
     * The version of the existing tables.
     *
     * @param table {@code holdfast_schema}, after its schema if the statements name one
     */
    public static int readVersion(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT max(version) FROM " + table)) {
            row.next();
            return row.getInt(1);
        }
    }

    boolean isCurrent() {
        return status == Status.CURRENT;
    }
}
