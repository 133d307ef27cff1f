package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.database.BatchRetry;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.database.Pruner;
import dev.holdfast.lock.jdbc.database.SqlValues;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.SchemaLockLimit;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL database. A batch is one call of one function in autocommit mode: one round trip, one commit. */
public final class PostgreSql implements Database {

    /** Those of its stores, and of the authority of a composite. */
    public static final Set<Capability> CAPABILITIES =
            Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST, Capability.SHARES);

    private static final SchemaScripts SCRIPTS =
            SchemaScripts.withFunctions(PostgreSql.class, "functions.sql", "V1__tables.sql");

    private static final SchemaLockLimit SCHEMA_LOCK_LIMIT = new SchemaLockLimit(
            "SELECT CASE s.source WHEN 'session'::pg_catalog.text THEN pg_catalog.quote_literal(s.setting)"
                    + " ELSE 'DEFAULT'::pg_catalog.text END"
                    + " FROM pg_catalog.pg_settings s WHERE s.name = 'lock_timeout'::pg_catalog.text",
            "SET SESSION lock_timeout = ",
            "'250ms'");

    private static final String LOCATE_SCHEMA = SqlScripts.read(PostgreSql.class, "locate-schema.sql");

    /** "holdfast" in ASCII: the advisory lock of the process that creates the tables. */
    private static final long SETUP_KEY = 0x686f6c6466617374L;

    /** After this long without a statement, the server ends the turn of a process that creates the tables: it has stopped. */
    private static final long MAX_SETUP_MILLIS = TimeUnit.MINUTES.toMillis(2);

    /** Pages of each table per call of the pruner: milliseconds, even if every row of them is removed. */
    private static final int PAGES = 32;

    private static final JdbcUrl NO_SCHEMA = new JdbcUrl("jdbc:postgresql:");

    private final JdbcUrl url;
    private final SchemaScripts scripts;
    private volatile SearchPath searchPath;
    private final StandbyGuard standbys = new StandbyGuard();
    private final NotificationQueue queue = new NotificationQueue();
    private final Pruner pruner;
    /** The schema of the tables and functions, quoted where necessary; set by {@link #inspectSchema}. */
    private volatile String schema = "";

    /** A database behind a URL that names no schema. */
    public PostgreSql() {
        this(NO_SCHEMA);
    }

    /** A database whose schema has to be inspected first. */
    public PostgreSql(JdbcUrl url) {
        this(url, SCRIPTS, Pruner.IDLE, Pruner.PAUSE);
    }

    /** A database behind a URL that names no schema, with the scripts of a version that a test has invented. */
    public PostgreSql(SchemaScripts scripts) {
        this(NO_SCHEMA, scripts, Pruner.IDLE, Pruner.PAUSE);
    }

    /**
     * For tests.
     *
     * @param scripts of the tables and functions
     * @param idle how long a lock must have been unused before its row is pruned
     * @param pause between two rounds of pruning
     */
    PostgreSql(JdbcUrl url, SchemaScripts scripts, Duration idle, Duration pause) {
        this.url = url;
        this.scripts = scripts;
        this.searchPath = SearchPath.of(url);
        this.pruner = new Pruner((connections, deadline) -> prune(connections, deadline, idle, pause), pause);
    }

    @Override
    public SchemaScripts scripts() {
        return scripts;
    }

    @Override
    public Optional<SchemaLockLimit> schemaLockLimit() {
        return Optional.of(SCHEMA_LOCK_LIMIT);
    }

    @Override
    public void expectApplicationsConnections(Optional<String> schema) {
        searchPath = SearchPath.ofApplicationsConnections(url, schema);
    }

    @Override
    public SchemaState inspectSchema(Connection connection) throws SQLException {
        searchPath.check(connection);
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(LOCATE_SCHEMA)) {
            row.next();
            requireUtf8(row.getString("encoding"));
            schema = String.valueOf(row.getString("schema"));
            List<String> missing = List.of((String[]) row.getArray("missing").getArray());
            boolean isAbsent = missing.size() == row.getInt("needed") && !row.getBoolean("has_functions");
            Optional<SchemaState.Version> version = Optional.empty();
            SchemaState.Functions functions = SchemaState.Functions.DAMAGED;
            if (!missing.contains("holdfast_schema")) {
                boolean hasFingerprint = row.getBoolean("has_functions");
                String matches = hasFingerprint
                        ? "s.functions = " + schema + ".holdfast_fingerprint(?::pg_catalog.text)"
                        : "false";
                try (PreparedStatement query =
                        connection.prepareStatement("SELECT s.version, s.oldest_client, s.functions_script, " + matches
                                + " FROM " + schema + ".holdfast_schema s")) {
                    if (hasFingerprint) {
                        query.setString(1, schema);
                    }
                    try (ResultSet found = query.executeQuery()) {
                        if (found.next()) {
                            version = Optional.of(new SchemaState.Version(found.getInt(1), found.getInt(2)));
                            functions = functionsOf(found.getString(3), found.getBoolean(4));
                        }
                    }
                }
            }
            SchemaState.Contents contents = new SchemaState.Contents(
                    isAbsent,
                    missing,
                    version,
                    row.getBoolean("has_history"),
                    functions,
                    Optional.ofNullable(row.getString("elsewhere")));
            return SchemaState.of(contents, scripts.version());
        }
    }

    private SchemaState.Functions functionsOf(String script, boolean matchFingerprint) {
        if (!matchFingerprint) {
            return SchemaState.Functions.DAMAGED;
        }
        return script.equals(scripts.functionsChecksum()) ? SchemaState.Functions.CURRENT : SchemaState.Functions.OTHER;
    }

    private static void requireUtf8(String encoding) {
        if (!encoding.equals("UTF8")) {
            throw new LockConfigurationException("the database's encoding is " + encoding
                    + ", which cannot hold every name of a lock: it must be UTF8");
        }
    }

    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        try (Connection connection = connections.openForSchema(deadline);
                Statement statement = connection.createStatement()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            Rollback rollback = () -> {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            };
            try (rollback) {
                statement.execute("SET LOCAL lock_timeout = " + Math.max(1, deadline.millisLeft())
                        + "; SET LOCAL idle_in_transaction_session_timeout = " + MAX_SETUP_MILLIS);
                statement.execute("SELECT pg_catalog.pg_advisory_xact_lock(" + SETUP_KEY + "::pg_catalog.int8)");
                task.run();
            }
        }
    }

    /** As a resource, so that its failure does not hide that of the task. */
    private interface Rollback extends AutoCloseable {
        @Override
        void close() throws SQLException;
    }

    @Override
    public List<LockReply> execute(
            Connections connections, Namespace namespace, List<LockCommand> commands, Deadline deadline)
            throws SQLException {
        BatchRetry.CallFactory<LockCommand> calls = (batch, callDeadline) ->
                PostgreSqlBatch.inPlainNamespace(connections, callDeadline, standbys, queue, schema, namespace, batch);
        List<LockReply> replies;
        try {
            replies = connections.with(deadline, calls.call(commands, deadline));
        } catch (SQLException e) {
            replies = BatchRetry.retry(e, commands, deadline, connections, calls);
        }
        if (replies.size() < commands.size()) {
            throw belongsToComposite(namespace);
        }
        pruner.pruneAfter(commands, connections);
        return replies;
    }

    private Pruner.Part prune(Connections connections, Deadline deadline, Duration idle, Duration pause)
            throws SQLException {
        return connections.with(
                deadline,
                new FunctionCall<>(
                        connections,
                        deadline,
                        null,
                        schema,
                        "holdfast_prune",
                        PostgreSql::readPart,
                        SqlValues.micros(idle),
                        SqlValues.micros(pause),
                        PAGES));
    }

    private static Pruner.Part readPart(ResultSet row) throws SQLException {
        row.next();
        return new Pruner.Part(row.getLong("removed"), Duration.of(row.getLong("rest"), ChronoUnit.MICROS));
    }

    @Override
    public void requireNoComposite(Connections connections, Namespace namespace, Deadline deadline)
            throws SQLException {
        String sql = "SELECT FROM " + schema + ".holdfast_authority_state s WHERE s.namespace = ?::pg_catalog.text";
        boolean belongs = connections.with(deadline, new PostgreSqlCall<Boolean>(connections, deadline, null) {
            @Override
            Boolean execute(Connection connection, int millisLeft) throws SQLException {
                try (PreparedStatement query = connection.prepareStatement(sql)) {
                    query.setString(1, namespace.value());
                    try (ResultSet row = query.executeQuery()) {
                        return row.next();
                    }
                }
            }
        });
        if (belongs) {
            throw belongsToComposite(namespace);
        }
    }

    private static LockConfigurationException belongsToComposite(Namespace namespace) {
        return new LockConfigurationException("the namespace " + namespace + " of this database belongs to a composite:"
                + " use lock.provider=composite, as the other processes do, or another lock.namespace");
    }

    /**
     * This database as the authority of a composite; call {@link #inspectSchema} first.
     *
     * @param forState connections for the authority state
     * @param forLocks connections for everything else
     */
    public AuthorityStore authority(JdbcUrl url, Connections forState, Connections forLocks, Namespace namespace) {
        return new PostgreSqlAuthorityStore(url, forState, forLocks, namespace, schema, standbys, queue, pruner);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public NotificationSource notifications(Connections connections, Namespace namespace) {
        return new PostgreSqlListener(connections, namespace);
    }

    @Override
    public List<LockInfo> list(Connections connections, Namespace namespace, LockRange range, Deadline deadline)
            throws SQLException {
        return connections.with(deadline, new PostgreSqlLockListing(connections, deadline, schema, namespace, range));
    }

    @Override
    public List<Finding> diagnose(Connections connections, JdbcUrl url, Deadline deadline) throws SQLException {
        return connections.with(deadline, new PostgreSqlDiagnostics(connections, deadline, schema, url, false));
    }

    @Override
    public void close() {
        pruner.close();
    }
}
