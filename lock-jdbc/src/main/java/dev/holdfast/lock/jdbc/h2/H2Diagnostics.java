package dev.holdfast.lock.jdbc.h2;

import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks for properties of the database that weaken a guarantee. */
final class H2Diagnostics {

    /** A delay set in the URL is listed beside the one in effect. */
    private static final String SQL = "SELECT H2VERSION() AS version, CURRENT_SCHEMA AS name,"
            + " (SELECT MAX(CAST(SETTING_VALUE AS INTEGER)) FROM INFORMATION_SCHEMA.SETTINGS"
            + " WHERE SETTING_NAME = 'WRITE_DELAY') AS write_delay";

    private H2Diagnostics() {}

    static List<Finding> diagnose(Connection connection, JdbcUrl url) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SQL)) {
            row.next();
            findings.add(Finding.ok(
                    "schema",
                    "H2 " + row.getString("version") + ", the tables are of version "
                            + SchemaState.readVersion(connection, SchemaState.TABLE)
                            + ", in the schema " + row.getString("name")));
            if (!H2Type.isInMemory(url)) {
                version(row.getString("version")).ifPresent(findings::add);
            }
            if (!H2Type.isServer(url)) {
                findings.add(Finding.note(
                        "reach",
                        H2Type.isInMemory(url)
                                ? "a database in memory excludes only threads of one process, and ends with it"
                                : "an embedded database excludes only the callers that share its file, on one machine",
                        "use PostgreSQL or MariaDB if the lock is for several machines"));
            }
            if (!H2Type.isInMemory(url) && !"0".equals(row.getString("write_delay"))) {
                findings.add(Finding.warning(
                        "durability",
                        "H2 writes a commit to its file up to " + row.getString("write_delay")
                                + " ms later: a crash forgets the latest grants, so that two clients hold the same"
                                + " lock",
                        "SET WRITE_DELAY 0, or add ;WRITE_DELAY=0 to the URL, as an administrator"));
            }
        }
        return findings;
    }

    /** The header of its file does not name the latest commit: see docs/stores/h2.md. */
    static Optional<Finding> version(String version) {
        return version.startsWith("2.5.")
                ? Optional.of(Finding.warning(
                        "version",
                        "H2 " + version
                                + ": after a crash, 2.5.252 has forgotten its latest commit, so that two clients hold the same"
                                + " lock; no later version was tested",
                        "use H2 2.3.232 or 2.4.240"))
                : Optional.empty();
    }
}
