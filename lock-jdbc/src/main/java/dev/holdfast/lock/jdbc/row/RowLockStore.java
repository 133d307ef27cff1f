package dev.holdfast.lock.jdbc.row;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClass;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.BatchRetry;
import dev.holdfast.lock.jdbc.schema.Database;
import dev.holdfast.lock.jdbc.schema.LockRange;
import dev.holdfast.lock.jdbc.schema.Pruner;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Locks in a database without functions of Holdfast's: a batch is one transaction. It locks the rows of its locks, in one order
 * in all processes, reads the clock after that, decides here, and writes. Waiters poll, with one query for all of a process.
 * Thread-safe.
 */
public final class RowLockStore implements Database {

    private static final List<String> TABLES = List.of(
            "holdfast_schema", "holdfast_lock", "holdfast_waiter", "holdfast_tombstone", "holdfast_token_floor");

    private final Dialect dialect;
    private final JdbcUrl url;
    private final NamedStatements statements;
    private final RowPruning pruning;
    private final Pruner pruner;
    private final OwnWaiters waiters = new OwnWaiters();

    /** @param url of the database */
    public RowLockStore(Dialect dialect, JdbcUrl url) {
        this(dialect, url, Pruner.IDLE, Pruner.PAUSE);
    }

    /**
     * For tests.
     *
     * @param idle how long a lock must have been unused before its row is pruned
     * @param pause between two rounds of pruning, where a thread prunes
     */
    RowLockStore(Dialect dialect, JdbcUrl url, Duration idle, Duration pause) {
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
        return Set.of(Capability.values());
    }

    /** A batch takes several round trips for each of its locks, and the database commits transactions of several connections at once. */
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
        BatchRetry.CallFactory<LockCommand> calls = (batch, callDeadline) -> isPlainRelease(batch)
                ? release(connections, namespace, (LockCommand.Release) batch.get(0), callDeadline)
                : transaction(connections, namespace, batch, callDeadline);
        waiters.ask(commands);
        List<LockReply> replies = execute(calls, connections, commands, deadline);
        waiters.answer(commands, replies);
        if (!dialect.excludesAllWrites()) {
            pruner.pruneAfter(commands, connections);
        }
        return replies;
    }

    /** A release without a minimum hold and without a tombstone, as most are. */
    private boolean isPlainRelease(List<LockCommand> batch) {
        return !dialect.excludesAllWrites()
                && batch.size() == 1
                && batch.get(0) instanceof LockCommand.Release release
                && release.minimumHold().isZero()
                && release.tombstone().isZero();
    }

    /** Frees a lock in one statement if the id holds it; else a transaction decides. */
    private Connections.Work<List<LockReply>> release(
            Connections connections, Namespace namespace, LockCommand.Release command, Deadline deadline) {
        Connections.Work<Boolean> statement = new LimitedCall<>(
                dialect,
                connections,
                deadline,
                connection -> new LockStatements(new StatementSender(connection, statements, false), dialect, namespace)
                        .releaseHeld(command.name().value(), CommandExecutor.bytes(command.id())));
        Connections.Work<List<LockReply>> other = transaction(connections, namespace, List.of(command), deadline);
        return connection -> statement.on(connection) ? List.of(new LockReply.Released(true)) : other.on(connection);
    }

    /** Repeats a transaction that was rolled back for certain, until the deadline. */
    private static List<LockReply> execute(
            BatchRetry.CallFactory<LockCommand> calls,
            Connections connections,
            List<LockCommand> commands,
            Deadline deadline)
            throws SQLException {
        while (true) {
            try {
                return connections.with(deadline, calls.call(commands, deadline));
            } catch (SQLException e) {
                ErrorClass meaning = connections.errors().classify(e);
                boolean isLockTimeout = meaning == ErrorClass.LOCK_TIMEOUT;
                if (deadline.isOver() || !(isLockTimeout || meaning == ErrorClass.ROLLED_BACK)) {
                    throw e;
                } else if (isLockTimeout && commands.size() > 1) {
                    return BatchRetry.executeOneByOne(commands, deadline, connections, calls);
                }
            }
        }
    }

    private RowTransaction<List<LockReply>> transaction(
            Connections connections, Namespace namespace, List<LockCommand> commands, Deadline deadline) {
        return new RowTransaction<>(dialect, statements, connections, deadline) {
            @Override
            List<LockReply> execute(StatementSender sender) throws SQLException {
                LockStatements locks = new LockStatements(sender, dialect, namespace);
                Map<String, LockRow> rows = lockAll(locks, commands);
                CommandExecutor executor = new CommandExecutor(locks);
                List<LockReply> replies = new ArrayList<>(commands.size());
                boolean releases = false;
                for (LockCommand command : commands) {
                    String name = command.name().value();
                    LockRow row = rows.remove(name);
                    replies.add(executor.execute(command, row == null ? locks.lock(name) : row));
                    releases |= command instanceof LockCommand.Release;
                }
                if (releases && dialect.excludesAllWrites()) {
                    pruning.removeSome(locks, executor.now());
                }
                return replies;
            }
        };
    }

    /** Locks the rows in the order of their names, and creates those that a command may have to change. */
    private static Map<String, LockRow> lockAll(LockStatements locks, List<LockCommand> commands) throws SQLException {
        Map<String, Boolean> names = new TreeMap<>();
        for (LockCommand command : commands) {
            boolean needsRow = command instanceof LockCommand.Acquire
                    || (command instanceof LockCommand.Release release
                            && !release.tombstone().isZero());
            names.merge(command.name().value(), needsRow, Boolean::logicalOr);
        }
        Map<String, LockRow> rows = new HashMap<>();
        for (Map.Entry<String, Boolean> name : names.entrySet()) {
            rows.put(name.getKey(), name.getValue() ? locks.lockOrCreate(name.getKey()) : locks.lock(name.getKey()));
        }
        return rows;
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
                new LimitedCall<>(dialect, connections, deadline, connection -> dialect.diagnose(connection, ofStore)));
    }

    @Override
    public void close() {
        pruner.close();
    }
}
