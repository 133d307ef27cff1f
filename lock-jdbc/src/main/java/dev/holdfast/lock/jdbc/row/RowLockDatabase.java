package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.database.Pruner;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.SchemaLockLimit;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a database without Holdfast's functions: a batch is one transaction. It locks the rows of its locks, in the same
 * order in all processes, then reads the clock, decides in this process, and writes. Waiters poll, with one query per process.
 * Thread-safe.
 */
public final class RowLockDatabase implements Database {

    private static final List<String> TABLES = List.of(
            "holdfast_schema",
            "holdfast_lock",
            "holdfast_share",
            "holdfast_waiter",
            "holdfast_tombstone",
            "holdfast_token_floor");

    private final Dialect dialect;
    private final JdbcUrl url;
    private final NamedStatements statements;
    private final RowPruning pruning;
    private final Pruner pruner;
    private final OwnWaiters waiters = new OwnWaiters();

    /** @param url of the database */
    public RowLockDatabase(Dialect dialect, JdbcUrl url) {
        this(dialect, url, Pruner.IDLE, Pruner.PAUSE);
    }

    /**
     * For tests.
     *
     * @param idle how long a lock must have been unused before its row is pruned
     * @param pause between two rounds of pruning, where a thread prunes
     */
    RowLockDatabase(Dialect dialect, JdbcUrl url, Duration idle, Duration pause) {
        this.dialect = dialect;
        this.url = url;
        this.statements = new NamedStatements(dialect);
        this.pruning = new RowPruning(dialect, statements, idle, pause);
        this.pruner = new Pruner(pruning::run, pause);
    }

    @Override
    public SchemaScripts scripts() {
        return dialect.scripts();
    }

    @Override
    public SchemaState inspectSchema(Connection connection) throws SQLException {
        Set<String> found = new HashSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet tables = statement.executeQuery(dialect.findTables())) {
            while (tables.next()) {
                found.add(tables.getString(1).toLowerCase(Locale.ROOT));
            }
        }
        boolean isMigrated = found.contains(SchemaState.HISTORY);
        found.retainAll(TABLES);
        Optional<SchemaState.Version> version = Optional.empty();
        if (found.contains("holdfast_schema")) {
            try (PreparedStatement query = statements.prepare(connection, "find-version", Map.of());
                    ResultSet row = query.executeQuery()) {
                row.next();
                int number = row.getInt("version");
                version = row.wasNull()
                        ? Optional.empty()
                        : Optional.of(new SchemaState.Version(number, row.getInt("oldest_client")));
            }
        }
        List<String> missing =
                TABLES.stream().filter(table -> !found.contains(table)).toList();
        SchemaState.Contents contents = new SchemaState.Contents(
                found.isEmpty(), missing, version, isMigrated, SchemaState.Functions.CURRENT, Optional.empty());
        return SchemaState.of(contents, scripts().version());
    }

    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        dialect.runExclusively(connections, deadline, task);
    }

    @Override
    public Optional<SchemaLockLimit> schemaLockLimit() {
        return dialect.schemaLockLimit();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.QUEUE, Capability.NOTIFICATIONS, Capability.LIST, Capability.SHARES);
    }

    /** A batch takes several round trips, and the database commits transactions of several connections at once. */
    @Override
    public int parallelCalls(int size) {
        return dialect.excludesAllWrites() ? 1 : Math.max(1, size / 2);
    }

    @Override
    public Duration notificationDelay() {
        return dialect.notificationDelay();
    }

    @Override
    public NotificationSource notifications(Connections connections, Namespace namespace) {
        return new TurnPoller(dialect, statements, url, connections, namespace, waiters);
    }

    @Override
    public List<LockReply> execute(
            Connections connections, Namespace namespace, List<LockCommand> commands, Deadline deadline)
            throws SQLException {
        BatchAttempts.Attempt attempt = (batch, mayCreate) -> isPlainRelease(batch)
                ? release(connections, namespace, (LockCommand.Release) batch.get(0), deadline)
                : transaction(connections, namespace, batch, mayCreate, deadline);
        waiters.ask(commands);
        List<LockReply> replies = new BatchAttempts(connections, attempt, commands, deadline).execute();
        waiters.answer(commands, replies);
        if (!dialect.excludesAllWrites()) {
            pruner.pruneAfter(commands, connections);
        }
        return replies;
    }

    /** A release without a minimum hold and without a tombstone, like most. */
    private boolean isPlainRelease(List<LockCommand> batch) {
        return !dialect.excludesAllWrites()
                && batch.size() == 1
                && batch.get(0) instanceof LockCommand.Release release
                && release.minimumHold().isZero()
                && release.tombstone().isZero();
    }

    /**
     * Frees a lock in one statement if the id holds it; otherwise a transaction decides. The statement may read the clock before it
     * waits for the row: if the lease ended during that wait, no other id was granted, as the row still names this one.
     */
    private Connections.Work<List<@Nullable LockReply>> release(
            Connections connections, Namespace namespace, LockCommand.Release command, Deadline deadline) {
        Map<String, Object> parameters =
                new LockKey(namespace.value(), command.name().value()).parameters(dialect, command.id());
        Connections.Work<Boolean> statement = new LimitedCall<>(
                dialect,
                connections,
                deadline,
                connection ->
                        new StatementSender(connection, statements, false).update("release-held", parameters) > 0);
        Connections.Work<List<@Nullable LockReply>> other =
                transaction(connections, namespace, List.of(command), true, deadline);
        return connection -> statement.on(connection) ? List.of(new LockReply.Released(true)) : other.on(connection);
    }

    private RowTransaction<List<@Nullable LockReply>> transaction(
            Connections connections,
            Namespace namespace,
            List<LockCommand> commands,
            boolean mayCreate,
            Deadline deadline) {
        return new RowTransaction<>(dialect, statements, connections, deadline) {
            @Override
            List<@Nullable LockReply> execute(StatementSender sender, LockedRows.Restart restart) throws SQLException {
                LockFacts facts = new LockFacts(sender, dialect, namespace, commands);
                NavigableMap<LockKey, Boolean> wanted = new TreeMap<>();
                for (LockCommand command : commands) {
                    wanted.merge(facts.key(command), needsRow(command), Boolean::logicalOr);
                }
                Map<LockKey, LockState> locks = new LockedRows(sender, dialect, wanted, mayCreate).lock(facts, restart);
                facts.readShares(locks);
                facts.readQueues(locks);
                CommandExecutor executor = new CommandExecutor(facts.now(), facts.tokenFloor());
                List<@Nullable LockReply> replies = new ArrayList<>(commands.size());
                boolean releases = false;
                for (LockCommand command : commands) {
                    LockState lock = locks.get(facts.key(command));
                    replies.add(lock == null ? null : executor.execute(command, lock));
                    releases |= command instanceof LockCommand.Release;
                }
                new RowWriter(sender, dialect).write(locks.values());
                if (releases && dialect.excludesAllWrites()) {
                    pruning.removeSome(sender, facts.now());
                }
                return replies;
            }
        };
    }

    /** Whether the command needs a row if the lock has none: to change it, or to protect something with it. */
    private static boolean needsRow(LockCommand command) {
        return command instanceof LockCommand.Acquire
                || (command instanceof LockCommand.Release release
                        && !release.tombstone().isZero());
    }

    @Override
    public List<LockInfo> list(Connections connections, Namespace namespace, LockRange range, Deadline deadline)
            throws SQLException {
        RowLockListing listing = new RowLockListing(dialect, statements, namespace, range);
        while (true) {
            try {
                return connections.with(deadline, new LimitedCall<>(dialect, connections, deadline, listing));
            } catch (SQLException e) {
                if (deadline.isOver() || connections.errors().classify(e) != ErrorClass.ROLLED_BACK) {
                    throw e;
                }
            }
        }
    }

    @Override
    public List<Finding> diagnose(Connections connections, JdbcUrl ofStore, Deadline deadline) throws SQLException {
        return connections.with(
                deadline,
                new LimitedCall<>(
                        dialect, connections, deadline, connection -> diagnose(connection, connections, ofStore)));
    }

    /** What a server that takes no writes refuses says nothing about rights. */
    private List<Finding> diagnose(Connection connection, Connections connections, JdbcUrl ofStore)
            throws SQLException {
        List<Finding> findings = new ArrayList<>(dialect.diagnose(connection, ofStore));
        if (!dialect.excludesAllWrites()
                && findings.stream().noneMatch(each -> each.severity() == Finding.Severity.ERROR)) {
            TableRights.missing(connection, connections.errors()).ifPresent(findings::add);
        }
        return findings;
    }

    @Override
    public void close() {
        pruner.close();
    }
}
