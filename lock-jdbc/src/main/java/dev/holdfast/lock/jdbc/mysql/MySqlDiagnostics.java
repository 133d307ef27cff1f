package dev.holdfast.lock.jdbc.mysql;

import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Looks for settings of the server that weaken a guarantee. */
final class MySqlDiagnostics {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)");

    /** Products that speak MySQL's protocol, as they name themselves in their versions. */
    private static final List<String> COMPATIBLE = List.of("TiDB", "Vitess", "OceanBase");

    /** The variables that {@link #severalPrimaries} needs. */
    private static final String OF_A_CLUSTER = "'wsrep_on', 'wsrep_provider', 'group_replication_single_primary_mode'";

    private static final int OLDEST_MARIADB = 1006;
    private static final int OLDEST_MYSQL = 800;

    private final List<Finding> findings = new ArrayList<>();
    private final Map<String, String> variables = new HashMap<>();
    private final int schemaVersion;
    private final String version;
    private final String database;
    private final List<String> otherEngines = new ArrayList<>();
    private final int dumpThreads;

    MySqlDiagnostics(Connection connection) throws SQLException {
        schemaVersion = SchemaState.readVersion(connection, SchemaState.TABLE);
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT VERSION(), DATABASE()")) {
                row.next();
                version = row.getString(1);
                database = row.getString(2);
            }
            readVariables(
                    statement,
                    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'sync_binlog',"
                            + " 'log_bin', 'binlog_format', 'read_only', 'super_read_only', " + OF_A_CLUSTER
                            + ", 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled')",
                    variables);
            readVariables(
                    statement,
                    "SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_connected', 'Slave_running',"
                            + " 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_status',"
                            + " 'Rpl_semi_sync_master_clients', 'Rpl_semi_sync_source_clients')",
                    variables);
            try (ResultSet rows = statement.executeQuery("SELECT table_name FROM information_schema.tables"
                    + " WHERE table_schema = DATABASE() AND table_name IN ('holdfast_lock', 'holdfast_share', 'holdfast_waiter',"
                    + " 'holdfast_tombstone', 'holdfast_token_floor') AND engine <> 'InnoDB'")) {
                while (rows.next()) {
                    otherEngines.add(rows.getString(1));
                }
            }
            dumpThreads = countDumpThreads(statement);
        }
    }

    /** Counts without information_schema, which fails in newer MySQL if another session's statement has bytes that are not text. */
    private static int countDumpThreads(Statement statement) throws SQLException {
        int count = 0;
        try (ResultSet rows = statement.executeQuery("SHOW PROCESSLIST")) {
            while (rows.next()) {
                String command = rows.getString("Command");
                if (command != null && command.startsWith("Binlog Dump")) {
                    count++;
                }
            }
        }
        return count;
    }

    private static void readVariables(Statement statement, String sql, Map<String, String> into) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                into.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
    }

    List<Finding> findings() {
        checkServer();
        checkVersion();
        checkDurability();
        checkReplication();
        return findings;
    }

    private void checkServer() {
        String product = version.contains("MariaDB") ? "" : "MySQL ";
        compatible(version).ifPresent(findings::add);
        findings.add(Finding.ok(
                "schema",
                product + version + ", the tables are of version " + schemaVersion + ", in the database " + database));
        if (isOn("read_only") || isOn("super_read_only")) {
            findings.add(Finding.error(
                    "replication",
                    "this server is read-only, as replicas are: it cannot grant locks",
                    "name the primary in the URL"));
        }
        if (!otherEngines.isEmpty()) {
            findings.add(Finding.error(
                    "engine",
                    "not of InnoDB: " + String.join(", ", otherEngines)
                            + "; without transactions two clients may hold the same lock",
                    "ALTER TABLE … ENGINE = InnoDB, for each"));
        }
        if (isOn("log_bin") && "STATEMENT".equals(value("binlog_format"))) {
            findings.add(Finding.error(
                    "isolation",
                    "binlog_format is STATEMENT, with which the server refuses the isolation READ COMMITTED",
                    "set binlog_format to ROW or MIXED"));
        }
    }

    /**
     * A finding if the server only speaks MySQL's protocol, and locks rows in a way of its own.
     *
     * @param version as the server says it, such as {@code 8.0.11-TiDB-v7.5.0}
     */
    static Optional<Finding> compatible(String version) {
        return COMPATIBLE.stream()
                .filter(version::contains)
                .findFirst()
                .map(product -> Finding.warning(
                        "version",
                        version + " is " + product
                                + ", not MySQL: whether its row locks exclude as Holdfast needs was not tested",
                        "run the conformance kit on it, with failovers, before locks depend on it"));
    }

    private void checkVersion() {
        boolean isMariaDb = version.contains("MariaDB");
        Matcher number = VERSION.matcher(version);
        int found = number.find() ? 100 * Integer.parseInt(number.group(1)) + Integer.parseInt(number.group(2)) : 0;
        if (found < (isMariaDb ? OLDEST_MARIADB : OLDEST_MYSQL)) {
            findings.add(Finding.warning(
                    "version",
                    version + " is older than any version that Holdfast supports",
                    "update the server to " + (isMariaDb ? "MariaDB 10.6" : "MySQL 8.0") + " or newer"));
        }
    }

    private void checkDurability() {
        if (!"1".equals(value("innodb_flush_log_at_trx_commit"))) {
            findings.add(Finding.warning(
                    "durability",
                    "innodb_flush_log_at_trx_commit is " + value("innodb_flush_log_at_trx_commit")
                            + ": a crash forgets the grants of the last second, so that two clients hold the same lock",
                    "set it to 1"));
        }
        if (isOn("log_bin") && !"1".equals(value("sync_binlog"))) {
            findings.add(Finding.warning(
                    "durability",
                    "sync_binlog is " + value("sync_binlog")
                            + ": after a crash of its machine the server may roll back grants that are missing in the"
                            + " binary log",
                    "set it to 1"));
        }
    }

    private void checkReplication() {
        boolean isEnabled = isOn("rpl_semi_sync_master_enabled") || isOn("rpl_semi_sync_source_enabled");
        boolean isSemiSynchronous = isOn("rpl_semi_sync_master_status") || isOn("rpl_semi_sync_source_status");
        int replicas = Math.max(dumpThreads, number("slaves_connected"));
        int confirming = Math.max(number("rpl_semi_sync_master_clients"), number("rpl_semi_sync_source_clients"));
        if (isOn("slave_running") && !isOn("read_only")) {
            findings.add(Finding.warning(
                    "replication",
                    "this server is a replica of another one, and grants locks itself:"
                            + " if that one does, too, two clients hold the same lock",
                    "name the same server in the URLs of all clients"));
        }
        Optional<Finding> cluster = severalPrimaries(variables);
        if (cluster.isPresent()) {
            findings.add(cluster.get());
        } else if (isSemiSynchronous && confirming > 0) {
            findings.add(Finding.note(
                    "replication",
                    "semi-synchronous: a grant waits for a replica, but only for so long; then a failover may lose"
                            + " grants",
                    "make rpl_semi_sync_master_timeout (rpl_semi_sync_source_timeout) longer than lock.lease"));
        } else if (isEnabled) {
            findings.add(Finding.warning(
                    "replication",
                    "semi-synchronous replication is enabled, but no replica confirms now:"
                            + " a failover loses the latest grants, so that two clients hold the same lock",
                    "find out why no replica is connected that has it enabled, too"));
        } else if (replicas > 0) {
            findings.add(Finding.warning(
                    "replication",
                    "replicas: " + replicas
                            + ", none of them semi-synchronous: a failover to one loses the latest grants,"
                            + " so that two clients hold the same lock",
                    "use semi-synchronous replication, with a timeout longer than lock.lease"));
        } else {
            findings.add(
                    Finding.ok("replication", "no replica is connected to this server now, as far as this user sees"));
        }
    }

    /** Whether the server is one of several that take writes. */
    static boolean isOneOfSeveral(Connection connection) throws SQLException {
        Map<String, String> variables = new HashMap<>();
        try (Statement statement = connection.createStatement()) {
            readVariables(statement, "SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + OF_A_CLUSTER + ")", variables);
        }
        return severalPrimaries(variables).isPresent();
    }

    /**
     * A finding if the server is one of several that take writes: a Galera cluster, or a group of MySQL's with more than one
     * primary. They certify each grant, but each compares the end of a lease with its own clock.
     *
     * @param variables the server's, by their names in lower case
     */
    static Optional<Finding> severalPrimaries(Map<String, String> variables) {
        String provider = variables.getOrDefault("wsrep_provider", "none");
        boolean isGalera =
                isYes(variables.get("wsrep_on")) && !provider.isEmpty() && !provider.equalsIgnoreCase("none");
        boolean isGroup = variables.containsKey("group_replication_single_primary_mode")
                && !isYes(variables.get("group_replication_single_primary_mode"));
        if (!isGalera && !isGroup) {
            return Optional.empty();
        }
        return Optional.of(Finding.warning(
                "replication",
                (isGalera ? "a Galera cluster" : "a group with several primaries")
                        + ": each node judges by its own clock when a lease is over, so that a node whose clock is ahead"
                        + " grants a lock that is still held through another node",
                "name the same node in the URLs of all clients, and keep the clocks of the nodes together, which a"
                        + " change to another node needs"));
    }

    private static boolean isYes(@Nullable String value) {
        return "ON".equals(value) || "1".equals(value);
    }

    private boolean isOn(String variable) {
        return isYes(variables.get(variable));
    }

    private int number(String variable) {
        String value = value(variable);
        return value.isEmpty() ? 0 : Integer.parseInt(value);
    }

    private String value(String variable) {
        return variables.getOrDefault(variable, "");
    }
}
