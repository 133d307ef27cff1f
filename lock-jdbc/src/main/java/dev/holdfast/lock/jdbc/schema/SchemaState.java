package dev.holdfast.lock.jdbc.schema;

import java.util.List;
import java.util.Optional;

/**
 * How the tables and functions in a database compare with those that this version of Holdfast needs.
 *
 * @param status whether they can be used, or created
 * @param problem what is wrong, for people; empty if they can be used
 * @param elsewhere a schema that has the tables, though missing ones would be created in another; empty if there is none
 */
public record SchemaState(Status status, String problem, Optional<String> elsewhere) {

    /** The version of the schema that this Holdfast needs, as in the scripts. */
    public static final int VERSION = 1;

    /** The table of Flyway's history. */
    public static final String HISTORY = "holdfast_history";

    /** Whether the schema can be used, or created. */
    public enum Status {
        /** It can be used. */
        CURRENT,
        /** It is empty, and can be created. */
        ABSENT,
        /** Something is missing, and can be created. */
        INCOMPLETE,
        /** The tables are of another version, or not Holdfast's. */
        INCOMPATIBLE
    }

    /**
     * Decides the status of a schema.
     *
     * @param isAbsent whether nothing of Holdfast is there
     * @param missingTables the names of tables that are not there
     * @param version of the tables; empty if they have none
     * @param isMigrated whether Flyway created the tables, so that it may create missing ones
     * @param hasFunctions whether the functions are there, and are those of this version
     * @param elsewhere see above
     */
    public static SchemaState of(
            boolean isAbsent,
            List<String> missingTables,
            Optional<Integer> version,
            boolean isMigrated,
            boolean hasFunctions,
            Optional<String> elsewhere) {
        if (isAbsent) {
            return new SchemaState(Status.ABSENT, "there are none", elsewhere);
        } else if (version.isPresent() && version.get() != VERSION) {
            return new SchemaState(
                    Status.INCOMPATIBLE,
                    "they are of version " + version.get() + ", this version of Holdfast needs version " + VERSION,
                    elsewhere);
        } else if (version.isEmpty() && !isMigrated) {
            return new SchemaState(
                    Status.INCOMPATIBLE,
                    "there are tables or functions with names of Holdfast, but their version is not in holdfast_schema",
                    elsewhere);
        } else if (!missingTables.isEmpty()) {
            return new SchemaState(Status.INCOMPLETE, "missing tables: " + String.join(", ", missingTables), elsewhere);
        } else if (version.isEmpty()) {
            return new SchemaState(Status.INCOMPATIBLE, "their version is missing in holdfast_schema", elsewhere);
        } else if (!hasFunctions) {
            return new SchemaState(
                    Status.INCOMPLETE,
                    "a function is missing, altered, of another version, or bound to a schema that was renamed since",
                    elsewhere);
        }
        return new SchemaState(Status.CURRENT, "", elsewhere);
    }

    boolean isCurrent() {
        return status == Status.CURRENT;
    }
}
