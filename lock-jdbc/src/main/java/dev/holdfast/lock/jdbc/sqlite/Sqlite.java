package dev.holdfast.lock.jdbc.sqlite;

import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.Range;
import dev.holdfast.lock.jdbc.database.Scripts;
import dev.holdfast.lock.jdbc.database.Shape;
import dev.holdfast.lock.jdbc.database.Shape.Column;
import dev.holdfast.lock.jdbc.database.Shape.Found;
import dev.holdfast.lock.jdbc.database.Shape.FoundColumn;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.signal.Source;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A SQLite file, shared by the processes of one machine. SQLite lets one of them write at a time and undoes what a killed
 * one left half done; a batch is one immediate transaction. Its clock is the machine's, read after the transaction began.
 */
public final class Sqlite implements Database {

    private static final Shape SHAPE = new Shape(
            List.of(
                    new Column("holdfast_lock", "namespace", "TEXT"),
                    new Column("holdfast_lock", "name", "TEXT"),
                    new Column("holdfast_lock", "token", "INTEGER"),
                    new Column("holdfast_lock", "id", "BLOB"),
                    new Column("holdfast_lock", "owner", "TEXT"),
                    new Column("holdfast_lock", "since", "INTEGER"),
                    new Column("holdfast_lock", "until", "INTEGER"),
                    new Column("holdfast_lock", "state", "TEXT"),
                    new Column("holdfast_lock", "promoted", "INTEGER"),
                    new Column("holdfast_waiter", "namespace", "TEXT"),
                    new Column("holdfast_waiter", "name", "TEXT"),
                    new Column("holdfast_waiter", "place", "INTEGER"),
                    new Column("holdfast_waiter", "id", "BLOB"),
                    new Column("holdfast_waiter", "owner", "TEXT"),
                    new Column("holdfast_waiter", "seen", "INTEGER"),
                    new Column("holdfast_released", "namespace", "TEXT"),
                    new Column("holdfast_released", "name", "TEXT"),
                    new Column("holdfast_released", "id", "BLOB"),
                    new Column("holdfast_released", "until", "INTEGER"),
                    new Column("holdfast_floor", "one", "INTEGER"),
                    new Column("holdfast_floor", "token", "INTEGER")),
            Set.of());

    private static final Scripts SCRIPTS = new Scripts(Sqlite.class, List.of("V1__tables.sql"));
    private static final String LOOK = Scripts.read(Sqlite.class, "look.sql");
    private static final Duration IDLE = Duration.ofSeconds(60);

    private final JdbcUrl url;
    private final InstantSource clock;
    private final Duration idle;

    /** @param url of a file, if it is a plain path */
    public Sqlite(JdbcUrl url) {
        this(url, InstantSource.system(), IDLE);
    }

    /** @param idle how long nobody must have used a lock before its row is removed */
    Sqlite(JdbcUrl url, InstantSource clock, Duration idle) {
        this.url = url;
        this.clock = clock;
        this.idle = idle;
    }

    @Override
    public Shape shape() {
        return SHAPE;
    }

    @Override
    public Scripts scripts() {
        return SCRIPTS;
    }

    @Override
    public Found look(Connection connection) throws SQLException {
        List<FoundColumn> columns = new ArrayList<>();
        boolean history = false;
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(LOOK)) {
            while (found.next()) {
                Column column = new Column(found.getString(1), found.getString(2), found.getString(3));
                if (column.table().equals("holdfast_history")) {
                    history = true;
                } else {
                    columns.add(new FoundColumn(column, found.getBoolean(4)));
                }
            }
        }
        return new Found(columns, Set.of(), List.of(), history, Set.of());
    }

    @Override
    public void alone(Connections connections, Deadline deadline, Exclusive work) throws SQLException {
        Setup.alone(url.file(), deadline, work);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public Source signals(Connections connections, Namespace namespace) {
        return new Watcher(url, namespace, clock);
    }

    @Override
    public List<Answer> apply(Connections connections, Namespace namespace, List<Step> steps, Deadline deadline)
            throws SQLException {
        return connections.with(
                deadline,
                connection -> Immediate.run(connection, connections.foreign(), deadline, () -> {
                    Statements statements = new Statements(connection, namespace);
                    long now = now();
                    Transaction transaction = new Transaction(statements, now);
                    List<Answer> answers = new ArrayList<>(steps.size());
                    boolean releases = false;
                    for (Step step : steps) {
                        answers.add(transaction.carryOut(step));
                        releases |= step instanceof Step.Release;
                    }
                    if (releases) {
                        statements.prune(now - idle.toNanos() / 1_000, now);
                    }
                    return answers;
                }));
    }

    @Override
    public List<LockInfo> inspect(Connections connections, Namespace namespace, Range range, Deadline deadline)
            throws SQLException {
        return connections.with(deadline, connection -> new Inspection(namespace, range, now()).ask(connection));
    }

    @Override
    public List<Finding> examine(Connections connections, JdbcUrl itsUrl, Deadline deadline) throws SQLException {
        return connections.with(deadline, connection -> Examination.ask(connection, itsUrl.file()));
    }

    private long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
    }
}
