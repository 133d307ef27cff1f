package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.connection.CallersSource;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.Pages;
import dev.holdfast.lock.jdbc.database.Tables;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.sqlite.Sqlite;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.signal.Subscribers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Locks in a SQL database. Every step is a short transaction of its own, never the application's; no connection is held
 * while a lock is held or waited for. Time is the database's.
 *
 * <p>Thread-safe.
 */
public final class JdbcLockStore implements LockStore {

    /** Not a call's timeout: the first of several processes may be busy with making the tables. */
    static final Duration OPENING = Duration.ofSeconds(15);

    private final Namespace namespace;
    private final JdbcUrl url;
    private final Database database;
    private final Connections connections;
    private final Calls calls;
    private final Subscribers subscribers;

    private JdbcLockStore(Namespace namespace, JdbcUrl url, Database database, Connections connections) {
        this.namespace = namespace;
        this.url = url;
        this.database = database;
        this.connections = connections;
        this.calls = new Calls(url);
        this.subscribers = new Subscribers(() -> database.signals(connections, namespace));
    }

    /** In a database whose tables are there. */
    static JdbcLockStore open(
            Namespace namespace, JdbcUrl url, Database database, Connections connections, Deadline deadline)
            throws SQLException {
        database.requireUnruled(connections, namespace, deadline);
        return new JdbcLockStore(namespace, url, database, connections);
    }

    /**
     * As {@link #of(DataSource, Namespace)}, in the namespace {@code default}: the one of a configuration that names none.
     *
     * @param source hands out connections to a PostgreSQL or SQLite database
     * @return a store, to be closed before the data source is
     * @throws LockConfigurationException if it is another database, the tables are missing or of another shape, or the
     *     namespace is a composite's
     * @throws LockUnavailableException if the database cannot be reached
     */
    public static JdbcLockStore of(DataSource source) {
        return of(source, new Namespace("default"));
    }

    /**
     * A store on the application's own data source, of PostgreSQL or SQLite; makes its tables if they are missing and
     * Flyway is on the class path. Each call takes a connection for a moment, on a thread on which no transaction of the
     * application is open, and gives it back as it was. The data source is never closed here.
     *
     * <p>A pool needs at least two connections: making the tables takes two at a time, and while somebody waits for a lock in
     * PostgreSQL, one listens for signals all the time; that one has to be one that can be unwrapped to the driver's. In
     * SQLite, who waits takes a connection of its own instead.
     *
     * @param source hands out connections to a PostgreSQL or SQLite database
     * @param namespace whose locks these are
     * @return a store, to be closed before the data source is
     * @throws LockConfigurationException if it is another database, the tables are missing or of another shape, or the
     *     namespace is a composite's
     * @throws LockUnavailableException if the database cannot be reached
     */
    public static JdbcLockStore of(DataSource source, Namespace namespace) {
        Deadline deadline = Deadline.in(OPENING);
        CallersSource connections = new CallersSource(source);
        JdbcUrl url = new JdbcUrl("the application's data source");
        try {
            String found = connections.with(
                    deadline, connection -> connection.getMetaData().getURL());
            url = new JdbcUrl(String.valueOf(found));
            Database database = database(url);
            Tables tables = new Tables(database, connections, deadline);
            connections.apart(deadline, () -> {
                tables.ensure(Optional.empty());
                return tables;
            });
            return open(namespace, url, database, connections, deadline);
        } catch (SQLException e) {
            throw Failures.opening(url, e, "the settings of the application's data source");
        }
    }

    private static Database database(JdbcUrl url) {
        if (url.isPostgreSql()) {
            return new PostgreSql();
        } else if (url.isSqlite() && !url.value().contains(":memory:")) {
            return new Sqlite(url);
        }
        throw new LockConfigurationException(
                "the data source is of " + url + ", not of PostgreSQL or of a SQLite file");
    }

    @Override
    public Set<Capability> capabilities() {
        return database.capabilities();
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return subscribers.add(to);
    }

    @Override
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        return calls.ask(timeout, deadline -> database.apply(connections, namespace, steps, deadline));
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return Pages.of(
                prefix,
                range -> calls.ask(timeout, deadline -> database.inspect(connections, namespace, range, deadline)));
    }

    @Override
    public List<Finding> examine(Duration timeout) {
        return calls.ask(timeout, deadline -> database.examine(connections, url, deadline));
    }

    @Override
    public void close() {
        if (calls.close()) {
            subscribers.close();
            database.close();
            connections.close();
        }
    }
}
