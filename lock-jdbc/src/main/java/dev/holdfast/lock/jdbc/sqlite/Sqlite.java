package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.schema.Database;
import dev.holdfast.lock.jdbc.schema.LockRange;
import dev.holdfast.lock.jdbc.schema.SchemaState;
import dev.holdfast.lock.jdbc.schema.SqlScripts;
import dev.holdfast.lock.jdbc.schema.SqlValues;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A SQLite file, shared by the processes of one machine. SQLite lets one process write at a time, and rolls back what a killed
 * process left unfinished; a batch is one transaction. Its clock is the machine's, read after the transaction began.
 */
public final class Sqlite implements Database {

    private static final SqlScripts SCRIPTS = new SqlScripts(Sqlite.class, List.of("V1__tables.sql"));
    private static final List<String> TABLES = List.of(
            "holdfast_schema", "holdfast_lock", "holdfast_waiter", "holdfast_tombstone", "holdfast_token_floor");
    private static final Duration IDLE = Duration.ofSeconds(60);

    private final JdbcUrl url;
    private final InstantSource clock;
    private final Duration idle;

    /** @param url of a file, if it is a plain path */
    public Sqlite(JdbcUrl url) {
        this(url, InstantSource.system(), IDLE);
    }

    /**
     * For tests.
     *
     * @param idle how long a lock must have been unused before its row is pruned
     */
    Sqlite(JdbcUrl url, InstantSource clock, Duration idle) {
        this.url = url;
        this.clock = clock;
        this.idle = idle;
    }

    @Override
    public SqlScripts scripts() {
        return SCRIPTS;
    }

    @Override
    public SchemaState inspectSchema(Connection connection) throws SQLException {
        Set<String> found = new HashSet<>();
        try (Statement statement = connection.createStatement()) {
            try (ResultSet tables = statement.executeQuery(LockStatements.sql("find-tables"))) {
                while (tables.next()) {
                    found.add(tables.getString(1));
                }
            }
            boolean isMigrated = found.remove("holdfast_history");
            Optional<Integer> version = Optional.empty();
            if (found.contains("holdfast_schema")) {
                try (ResultSet row = statement.executeQuery(LockStatements.sql("find-version"))) {
                    int number = row.getInt(1);
                    version = row.wasNull() ? Optional.empty() : Optional.of(number);
                }
            }
            List<String> missing =
                    TABLES.stream().filter(table -> !found.contains(table)).toList();
            return SchemaState.of(found.isEmpty(), missing, version, isMigrated, true, Optional.empty());
        }
    }

    @Override
    public void runExclusively(Connections connections, Deadline deadline, SchemaTask task) throws SQLException {
        SetupLock.runLocked(url.file(), deadline, task);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public NotificationSource notifications(Connections connections, Namespace namespace) {
        return new TurnPoller(url, namespace, clock);
    }

    @Override
    public List<LockReply> execute(
            Connections connections, Namespace namespace, List<LockCommand> commands, Deadline deadline)
            throws SQLException {
        return connections.with(deadline, new WriteTransaction<>(connections, deadline) {
            @Override
            List<LockReply> execute(Connection connection) throws SQLException {
                LockStatements statements = new LockStatements(connection, namespace);
                long now = now();
                CommandExecutor executor = new CommandExecutor(statements, now);
                List<LockReply> replies = new ArrayList<>(commands.size());
                boolean releases = false;
                for (LockCommand command : commands) {
                    replies.add(executor.execute(command));
                    releases |= command instanceof LockCommand.Release;
                }
                if (releases) {
                    statements.prune(now - SqlValues.micros(idle), now);
                }
                return replies;
            }
        });
    }

    @Override
    public List<LockInfo> list(Connections connections, Namespace namespace, LockRange range, Deadline deadline)
            throws SQLException {
        return connections.with(deadline, new SqliteLockListing(namespace, range, now()));
    }

    @Override
    public List<Finding> diagnose(Connections connections, JdbcUrl ofStore, Deadline deadline) throws SQLException {
        return connections.with(deadline, connection -> SqliteDiagnostics.diagnose(connection, ofStore.file()));
    }

    private long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    }
}
