package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Looks for settings of the server, the tables and the URL that weaken a guarantee. */
final class PostgreSqlDiagnostics extends PostgreSqlCall<List<Finding>> {

    private static final String SQL = SqlScripts.read(PostgreSqlDiagnostics.class, "diagnose.sql");

    private static final Pattern SEVERAL_HOSTS = Pattern.compile("jdbc:postgresql://[^/?]*,.*");
    private static final Pattern OF_THE_PRIMARY = Pattern.compile(".*[?&]targetServerType=(primary|master)(&.*)?");

    private static final int POOLER_PROBES = 3;

    /** The acceptable fill level of the queue of notifications, as a fraction. */
    private static final double MAX_QUEUE_USAGE = 0.5;

    /** Transactions that take longer slow down locks that change hands often. */
    private static final Duration LONG_TRANSACTION = Duration.ofMinutes(5);

    /** An application's pool may have no second connection now. */
    private static final Duration SECOND_CONNECTION_TIMEOUT = Duration.ofSeconds(1);

    private final Connections connections;
    private final String schema;
    private final JdbcUrl url;
    private final boolean isAuthority;
    private final Duration longTransaction;
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param schema of the tables and functions, quoted where necessary
     * @param isAuthority whether the store is the authority of a composite
     */
    PostgreSqlDiagnostics(Connections connections, Deadline deadline, String schema, JdbcUrl url, boolean isAuthority) {
        this(connections, deadline, schema, url, isAuthority, LONG_TRANSACTION);
    }

    /**
     * For tests.
     *
     * @param longTransaction the shortest duration of a transaction that is reported
     */
    PostgreSqlDiagnostics(
            Connections connections,
            Deadline deadline,
            String schema,
            JdbcUrl url,
            boolean isAuthority,
            Duration longTransaction) {
        super(connections, deadline, null);
        this.connections = connections;
        this.schema = schema;
        this.url = url;
        this.isAuthority = isAuthority;
        this.longTransaction = longTransaction;
    }

    @Override
    List<Finding> execute(Connection connection, int millisLeft) throws SQLException {
        findings.clear();
        try (PreparedStatement query = connection.prepareStatement(SQL)) {
            query.setString(1, schema);
            query.setBoolean(2, isAuthority);
            query.setDouble(3, longTransaction.toMillis() / 1_000.0);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                checkServer(row, SchemaState.readVersion(connection, schema + "." + SchemaState.TABLE));
                checkSearchPath(row);
                checkReplication(row);
                checkOtherWriters(row.getString("subscriptions"), row.getString("several_primaries"))
                        .ifPresent(findings::add);
                checkQueue(row);
                checkTransactions(row);
                checkTimeout(row, millisLeft);
            }
        }
        checkHosts();
        checkPooler(connection);
        return findings;
    }

    private void checkServer(ResultSet row, int schemaVersion) throws SQLException {
        findings.add(Finding.ok(
                "schema",
                "PostgreSQL " + row.getString("version")
                        + ", the tables and functions are of version " + schemaVersion
                        + ", in the schema " + schema));
        String grants = row.getString("grants_missing");
        if (grants != null) {
            findings.add(Finding.error(
                    "rights",
                    "the role " + row.getString("role") + " lacks rights on the tables or functions",
                    "run as their owner: " + grants));
        }
        if (!row.getBoolean("is_crash_safe")) {
            findings.add(Finding.warning(
                    "durability",
                    "fsync or full_page_writes is off: a crash of the server's machine may undo grants, so that two"
                            + " clients hold the same lock",
                    "set both to on"));
        }
        String unlogged = row.getString("unlogged");
        if (unlogged != null) {
            findings.add(Finding.warning(
                    "durability",
                    "unlogged: " + unlogged
                            + "; a crash of the server empties them, so that two clients hold the same lock",
                    "ALTER TABLE … SET LOGGED, for each"));
        }
    }

    /** A name without a schema means the first object of that name in the search path. */
    private void checkSearchPath(ResultSet row) throws SQLException {
        String creators = row.getString("creators");
        if (creators != null) {
            findings.add(
                    Finding.warning(
                            "path",
                            "other roles may create tables and functions in a schema of the search path: " + creators
                                    + "; the store may take tables with Holdfast's names there for its own",
                            "REVOKE CREATE ON SCHEMA … FROM …, or give Holdfast a schema of its own with ?currentSchema= in the URL"));
        }
    }

    private void checkReplication(ResultSet row) throws SQLException {
        int standbys = row.getInt("standbys");
        boolean synchronous = !row.getString("synchronous").isEmpty();
        if (row.getBoolean("is_standby")) {
            findings.add(Finding.error(
                    "replication",
                    "this server is a standby, which cannot grant locks",
                    "name the primary in the URL"));
        } else if (standbys > 0 && !synchronous) {
            findings.add(Finding.warning(
                    "replication",
                    "standbys: " + standbys + ", none of them synchronous: a failover to one loses the latest grants,"
                            + " so that two clients hold the same lock",
                    "set synchronous_standby_names on the primary, to more than one standby, as grants wait while none of"
                            + " them is connected"));
        } else if (synchronous && row.getInt("confirming") == 0) {
            findings.add(Finding.error(
                    "replication",
                    "synchronous_standby_names is set, but no standby "
                            + (standbys == 0 ? "is connected" : "of those names is connected")
                            + ": every grant waits for one",
                    "start a standby of such a name, or empty synchronous_standby_names"));
        } else if (synchronous) {
            findings.add(Finding.ok(
                    "replication", "a grant waits for a standby; a failover to one that confirmed it loses none"));
        } else {
            findings.add(Finding.ok("replication", "no standby is connected to this server now"));
        }
    }

    /**
     * A finding if another server writes the tables, too: such a change arrives after its commit, so that each server grants without
     * the other.
     *
     * @param subscriptions whose changes are applied to the tables; null if there are none
     * @param extensions for several servers that take writes; null if there are none
     */
    static Optional<Finding> checkOtherWriters(@Nullable String subscriptions, @Nullable String extensions) {
        if (subscriptions == null && extensions == null) {
            return Optional.empty();
        }
        return Optional.of(
                Finding.warning(
                        "replication",
                        (subscriptions == null
                                        ? "the extension " + extensions
                                                + " copies changes between several servers that take writes"
                                        : "the subscription " + subscriptions
                                                + " copies another server's changes to these tables")
                                + ", after their commit: if that one grants locks, too, two clients hold the same lock",
                        subscriptions == null
                                ? "name the same server in the URLs of all clients, and leave Holdfast's tables out of the replication"
                                : "name the same server in the URLs of all clients, and drop the subscription before this one grants"));
    }

    /** A queue of notifications that is full fails every commit that notifies. */
    private void checkQueue(ResultSet row) throws SQLException {
        double usage = row.getDouble("queue_usage");
        if (usage > MAX_QUEUE_USAGE) {
            findings.add(Finding.warning(
                    "queue",
                    "the server's queue of notifications is filled to " + Math.round(usage * 100)
                            + " %: once it is full, waiters learn up to five seconds late that their turn has come",
                    "end the transaction of the session that listens and does not read, the oldest in pg_stat_activity by"
                            + " xact_start"));
        }
    }

    /** Every change of a lock leaves a dead version of its row, which slows each command for the lock until it is removed. */
    private void checkTransactions(ResultSet row) throws SQLException {
        String holders = row.getString("horizon_holders");
        if (holders != null) {
            findings.add(Finding.warning(
                    "transactions",
                    "old versions of rows are not removed, so that locks which change hands often become slower and slower;"
                            + " they are kept for: " + holders,
                    "end the transactions (pg_terminate_backend, ROLLBACK PREPARED), drop the slots that no standby uses, and"
                            + " set idle_in_transaction_session_timeout for the applications"));
        }
    }

    private void checkTimeout(ResultSet row, int millisLeft) throws SQLException {
        long timeout = row.getLong("statement_timeout");
        if (timeout > 0 && timeout < millisLeft) {
            findings.add(Finding.warning(
                    "timeout",
                    "statement_timeout is " + timeout + " ms for the role " + row.getString("role")
                            + ", less than a call may take: the server cancels calls that wait for a row",
                    "ALTER ROLE … SET statement_timeout = 0, or to more than lock.call-timeout"));
        }
    }

    /** The driver takes the first host that answers: after a failover that may be the former primary. */
    private void checkHosts() {
        if (SEVERAL_HOSTS.matcher(url.value()).matches()
                && !OF_THE_PRIMARY.matcher(url.value()).matches()) {
            findings.add(Finding.warning(
                    "hosts",
                    "the URL names several hosts, and the driver takes any that answers, even a standby",
                    "add targetServerType=primary to the URL"));
        }
    }

    /**
     * Looks for a pooler that lends sessions of the server for single transactions: it serves one connection with several sessions,
     * or two connections with one. Without a second connection or other traffic it may stay undetected.
     */
    private void checkPooler(Connection connection) throws SQLException {
        Set<Integer> sessions = new HashSet<>();
        for (int probe = 0; probe < POOLER_PROBES; probe++) {
            sessions.add(session(connection));
        }
        if (sessions.size() > 1 || sessions.contains(sessionOfSecondConnection())) {
            findings.add(Finding.warning(
                    "pooler",
                    "a pooler lends sessions of the server for a transaction only, as PgBouncer does with"
                            + " pool_mode=transaction: LISTEN does not work, so that a waiter learns seconds later that its"
                            + " turn has come; and statements that the driver prepared may be missing in the next session",
                    "name the server itself in the URL, or a pool with pool_mode=session"));
        }
    }

    private int sessionOfSecondConnection() {
        try {
            if (connections.areApplications()) {
                return connections.with(Deadline.in(SECOND_CONNECTION_TIMEOUT), PostgreSqlDiagnostics::session);
            }
            try (Connection second = connections.direct().getConnection()) {
                return session(second);
            }
        } catch (SQLException e) {
            return 0; // the id of no session
        }
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_catalog.pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
