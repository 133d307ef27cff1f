package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.LockConfigurationException;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A PostgreSQL database. A batch is one call of one of our functions, in autocommit mode: one round
 * trip, one commit.
 */
public final class PostgreSql implements Database {

    private static final Shape SHAPE = new Shape(
            List.of(
                    new Column("holdfast_lock", "namespace", "text COLLATE \"C\""),
                    new Column("holdfast_lock", "name", "text COLLATE \"C\""),
                    new Column("holdfast_lock", "token", "bigint"),
                    new Column("holdfast_lock", "id", "uuid"),
                    new Column("holdfast_lock", "owner", "text"),
                    new Column("holdfast_lock", "since", "timestamp with time zone"),
                    new Column("holdfast_lock", "until", "timestamp with time zone"),
                    new Column("holdfast_lock", "state", "text"),
                    new Column("holdfast_lock", "waiters", "integer"),
                    new Column("holdfast_lock", "promoted", "timestamp with time zone"),
                    new Column("holdfast_waiter", "namespace", "text COLLATE \"C\""),
                    new Column("holdfast_waiter", "name", "text COLLATE \"C\""),
                    new Column("holdfast_waiter", "place", "bigint"),
                    new Column("holdfast_waiter", "id", "uuid"),
                    new Column("holdfast_waiter", "owner", "text"),
                    new Column("holdfast_waiter", "seen", "timestamp with time zone"),
                    new Column("holdfast_released", "namespace", "text COLLATE \"C\""),
                    new Column("holdfast_released", "name", "text COLLATE \"C\""),
                    new Column("holdfast_released", "id", "uuid"),
                    new Column("holdfast_released", "until", "timestamp with time zone"),
                    new Column("holdfast_floor", "one", "integer"),
                    new Column("holdfast_floor", "token", "bigint"),
                    new Column("holdfast_floor", "page", "bigint"),
                    new Column("holdfast_floor", "round", "timestamp with time zone"),
                    new Column("holdfast_regime", "namespace", "text COLLATE \"C\""),
                    new Column("holdfast_regime", "bucket", "integer"),
                    new Column("holdfast_regime", "epoch", "bigint"),
                    new Column("holdfast_regime", "mode", "text"),
                    new Column("holdfast_regime", "lineage", "text"),
                    new Column("holdfast_regime", "lease", "bigint"),
                    new Column("holdfast_regime", "base", "bigint"),
                    new Column("holdfast_regime", "falls", "integer"),
                    new Column("holdfast_regime", "since", "timestamp with time zone"),
                    new Column("holdfast_regime", "cause", "text"),
                    new Column("holdfast_member", "namespace", "text COLLATE \"C\""),
                    new Column("holdfast_member", "bucket", "integer"),
                    new Column("holdfast_member", "id", "uuid"),
                    new Column("holdfast_member", "owner", "text"),
                    new Column("holdfast_member", "suspected", "bigint"),
                    new Column("holdfast_member", "seen", "timestamp with time zone")),
            Set.of(
                    "holdfast_apply_v1",
                    "holdfast_first_v1",
                    "holdfast_prune_v1",
                    "holdfast_guard_v1",
                    "holdfast_durably_v1",
                    "holdfast_ruled_v1",
                    "holdfast_highest_v1",
                    "holdfast_found_v1",
                    "holdfast_change_v1",
                    "holdfast_assert_v1",
                    "holdfast_held_v1",
                    "holdfast_reading_v1",
                    "holdfast_read_v1"));

    private static final Scripts SCRIPTS =
            new Scripts(PostgreSql.class, List.of("V1__tables.sql", "V2__functions.sql"));

    private static final String LOOK = Scripts.read(PostgreSql.class, "look.sql");

    /** "holdfast" in ASCII: the advisory lock of whoever makes the tables. */
    private static final long SETUP_KEY = 0x686f6c6466617374L;

    private final Standbys standbys = new Standbys();
    private final Pruning pruning;
    /** Of the tables and functions, quoted where it has to be. */
    private volatile String schema = "";

    /** A database of which nothing is known yet: look first. */
    public PostgreSql() {
        this(Pruning.IDLE, Pruning.PAUSE);
    }

    /**
     * @param idle how long a lock must not have been used before its row is removed
     * @param pause between two rounds through the tables for that
     */
    PostgreSql(Duration idle, Duration pause) {
        this.pruning = new Pruning(idle, pause);
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
        Set<String> functions = new HashSet<>();
        List<String> flaws = new ArrayList<>();
        boolean history = false;
        Set<String> elsewhere = new TreeSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(LOOK)) {
            while (found.next()) {
                String what = found.getString(2);
                switch (found.getString(1)) {
                    case "encoding" -> requireUtf8(what);
                    case "column" ->
                        columns.add(new FoundColumn(
                                new Column(what, found.getString(3), found.getString(4)), found.getBoolean(5)));
                    case "schema" -> schema = what;
                    case "function" -> {
                        functions.add(what);
                        String flaw = found.getString(4);
                        if (flaw != null) {
                            flaws.add("the function " + what + " " + flaw);
                        }
                    }
                    case "elsewhere" -> elsewhere.add(what);
                    default -> history = true;
                }
            }
        }
        return new Found(columns, functions, flaws, history, elsewhere);
    }

    private static void requireUtf8(String encoding) {
        if (!encoding.equals("UTF8")) {
            throw new LockConfigurationException("the database's encoding is " + encoding
                    + ", which cannot hold every name of a lock: it must be UTF8");
        }
    }

    @Override
    public void alone(Connections connections, Deadline deadline, Exclusive work) throws SQLException {
        try (Connection connection = connections.forTables(deadline);
                Statement statement = connection.createStatement()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            Turn turn = () -> {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            };
            try (turn) {
                statement.execute("SET LOCAL lock_timeout = " + Math.max(1, deadline.millisLeft()));
                statement.execute("SELECT pg_catalog.pg_advisory_xact_lock(" + SETUP_KEY + "::pg_catalog.int8)");
                work.run();
            }
        }
    }

    /** Ended however it went; what goes wrong in that hides nothing of what went wrong before. */
    private interface Turn extends AutoCloseable {
        @Override
        void close() throws SQLException;
    }

    @Override
    public List<Answer> apply(Connections connections, Namespace namespace, List<Step> steps, Deadline deadline)
            throws SQLException {
        Delivery<Step> delivery = new Delivery<>(connections, standbys, each -> Batch.plain(schema, namespace, each));
        List<Answer> answers = delivery.deliver(steps, deadline);
        if (answers.size() < steps.size()) {
            throw Unruled.refusal(namespace);
        }
        pruning.after(steps, connections, schema);
        return answers;
    }

    /**
     * As the authority of a composite; once it was looked at.
     *
     * @param forRegime what the regime is read and changed on
     * @param forLocks what everything else is done on
     */
    public Authority authority(Connections forRegime, Connections forLocks, Namespace namespace) {
        return new Authority(forRegime, forLocks, namespace, schema, standbys, pruning);
    }

    @Override
    public void requireUnruled(Connections connections, Namespace namespace, Deadline deadline) throws SQLException {
        Unruled.require(connections, schema, namespace, deadline);
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public Source signals(Connections connections, Namespace namespace) {
        return new Listener(connections, namespace);
    }

    @Override
    public List<LockInfo> inspect(Connections connections, Namespace namespace, Range range, Deadline deadline)
            throws SQLException {
        Inspection inspection = new Inspection(schema, namespace, range);
        return Session.ask(connections, deadline, (connection, millis) -> inspection.ask(connection));
    }

    @Override
    public List<Finding> examine(Connections connections, JdbcUrl url, Deadline deadline) throws SQLException {
        Examination examination = new Examination(schema, schema, url, connections, false);
        return Session.ask(connections, deadline, (connection, millis) -> examination.ask(connection));
    }

    @Override
    public void close() {
        pruning.close();
    }
}
