package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.LockRange;
import dev.holdfast.lock.jdbc.pool.ApplicationDataSource;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.StoreErrors;
import dev.holdfast.lock.jdbc.schema.SchemaInstaller;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.NotificationHub;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Locks in a SQL database. Every command is a short transaction of its own, never the application's; no connection is held while
 * a lock is held or waited for. The database's clock decides.
 *
 * <p>Thread-safe.
 */
public final class JdbcLockStore implements LockStore {

    /**
     * Time for opening a store, which may have to wait until another process has created the tables; longer if a call may take
     * longer.
     */
    static final Duration OPEN_TIMEOUT = Duration.ofSeconds(30);

    private final Namespace namespace;
    private final JdbcUrl url;
    private final Database database;
    private final Connections connections;
    private final NotificationHub subscribers;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private JdbcLockStore(Namespace namespace, JdbcUrl url, Database database, Connections connections) {
        this.namespace = namespace;
        this.url = url;
        this.database = database;
        this.connections = connections;
        this.subscribers = new NotificationHub(() -> database.notifications(connections, namespace));
    }

    /** Opens a store in a database that has the tables. */
    static JdbcLockStore open(
            Namespace namespace, JdbcUrl url, Database database, Connections connections, Deadline deadline)
            throws SQLException {
        database.requireNoComposite(connections, namespace, deadline);
        return new JdbcLockStore(namespace, url, database, connections);
    }

    /**
     * Like {@link #of(DataSource, Namespace)}, in the namespace {@code default}, as in a configuration that names none.
     *
     * @param source of connections to a PostgreSQL, MariaDB, MySQL, H2 or SQLite database
     * @return a store, to be closed before the data source
     * @throws LockConfigurationException if it is another database, the tables are missing or of another version, or the
     *     namespace belongs to a composite
     * @throws LockUnavailableException if the database cannot be reached
     */
    public static JdbcLockStore of(DataSource source) {
        return of(source, new Namespace("default"));
    }

    /**
     * A store on the application's own data source, on any database of {@link JdbcLockProvider}; creates its tables if they are
     * missing and Flyway is on the class path. Each call borrows a connection for a moment, on a thread without a transaction of
     * the application, and returns it unchanged. The data source is never closed here.
     *
     * <p>On PostgreSQL the tables are in the schema that the first connection uses, and every later call names that schema. The
     * schema has to exist. A data source that hands out connections to several databases, such as one per tenant, is not
     * suitable for locks.
     *
     * <p>The pool needs at least two connections: creating the tables takes two at a time, and while a lock is waited for, one
     * connection listens for notifications or polls; on PostgreSQL it has to support unwrapping to the driver's. In SQLite,
     * waiting takes a connection that does not come from the data source.
     *
     * @param source of connections to a PostgreSQL, MariaDB, MySQL, H2 or SQLite database
     * @param namespace of the locks
     * @return a store, to be closed before the data source
     * @throws LockConfigurationException if it is another database, the tables are missing or of another version, or the
     *     namespace belongs to a composite
     * @throws LockUnavailableException if the database cannot be reached
     */
    public static JdbcLockStore of(DataSource source, Namespace namespace) {
        return of(source, namespace, Deadline.in(OPEN_TIMEOUT));
    }

    static JdbcLockStore of(DataSource source, Namespace namespace, Deadline deadline) {
        ApplicationDataSource connections = new ApplicationDataSource(source);
        JdbcUrl url = new JdbcUrl("the application's data source");
        try {
            DatabaseTypes.Found found = connections.with(deadline, DatabaseTypes::find);
            url = found.url().withoutParameters();
            connections.setErrors(found.type().errors());
            Database database = found.type().database(found.url());
            database.expectApplicationsConnections(connections.schema());
            new SchemaInstaller(database, connections, deadline).ensureInstalled(Optional.empty());
            return open(namespace, url, database, connections, deadline);
        } catch (SQLException e) {
            throw StoreErrors.opening(
                    url, e, connections.errors().classify(e), "the settings of the application's data source");
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return database.capabilities();
    }

    @Override
    public int parallelCalls() {
        return Math.min(database.parallelCalls(connections.size()), MAX_PARALLEL_CALLS);
    }

    @Override
    public Duration notificationDelay() {
        return database.notificationDelay();
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> subscriber) {
        return subscribers.subscribe(subscriber);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        if (!capabilities().contains(Capability.SHARES)) {
            Share.requireExclusive(commands);
        }
        ensureOpen();
        try {
            return database.execute(connections, namespace, commands, Deadline.in(timeout));
        } catch (SQLException e) {
            throw StoreErrors.unavailable(url, e, timeout);
        }
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return LockRange.pages(prefix, range -> {
            ensureOpen();
            try {
                return database.list(connections, namespace, range, Deadline.in(timeout));
            } catch (SQLException e) {
                throw StoreErrors.unavailable(url, e, timeout);
            }
        });
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        ensureOpen();
        try {
            return database.diagnose(connections, url, Deadline.in(timeout));
        } catch (SQLException e) {
            throw StoreErrors.unavailable(url, e, timeout);
        }
    }

    private void ensureOpen() {
        if (isClosed.get()) {
            throw new IllegalStateException("this store is closed");
        }
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            subscribers.close();
            database.close();
            connections.close();
        }
    }
}
