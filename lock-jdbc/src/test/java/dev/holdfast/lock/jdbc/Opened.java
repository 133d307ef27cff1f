package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.row.Dialect;
import dev.holdfast.lock.jdbc.row.SteppedStore;
import dev.holdfast.lock.jdbc.schema.SchemaInstaller;
import dev.holdfast.lock.jdbc.server.SteppedClock;
import dev.holdfast.lock.jdbc.sqlite.SqliteDialect;
import dev.holdfast.lock.jdbc.sqlite.SqliteType;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;

/**
 * Stores, opened from settings like an application's; with a call timeout that lets the pool wait for a first connection.
 */
public final class Opened {

    private Opened() {}

    public static LockStore store(Map<String, String> settings) {
        return store("test", settings);
    }

    public static LockStore store(String namespace, Map<String, String> settings) {
        return new JdbcLockProvider().open(new Namespace(namespace), config(settings));
    }

    /** On an application's data source. */
    public static LockStore on(DataSource source) {
        return on(source, new Namespace("default"));
    }

    /** On an application's data source. */
    public static JdbcLockStore on(DataSource source, Namespace namespace) {
        return JdbcLockStore.of(source, namespace, Deadline.in(Commands.CALL));
    }

    public static LockStore sqlite(Path file) {
        return store(Map.of("lock.jdbc.url", "jdbc:sqlite:" + file));
    }

    /** On SQLite, with a {@link SteppedClock}. */
    static LockStore steppedSqlite(Path file) {
        String url = "jdbc:sqlite:" + file;
        return stepped(new SqliteType(), new SqliteDialect(new JdbcUrl(url)), Map.of("lock.jdbc.url", url));
    }

    /** With a {@link SteppedClock}, whose table has to be in the database. */
    static LockStore stepped(DatabaseType type, Dialect dialect, Map<String, String> settings) {
        JdbcUrl url = new JdbcUrl(settings.get("lock.jdbc.url"));
        return store(type, SteppedStore.on(dialect, url), settings, Optional.empty());
    }

    /**
     * On a database that a test has made.
     *
     * @param notCreated see {@link SchemaInstaller#ensureInstalled}
     */
    static LockStore store(
            DatabaseType type, Database database, Map<String, String> settings, Optional<String> notCreated) {
        JdbcUrl url = new JdbcUrl(settings.get("lock.jdbc.url"));
        Deadline deadline = Deadline.in(Commands.CALL);
        try {
            Connections connections = type.open(
                    url,
                    new DatabaseType.Settings(
                            Optional.ofNullable(settings.get("lock.jdbc.username")),
                            Optional.ofNullable(settings.get("lock.jdbc.password")),
                            type.poolSize(),
                            PooledConnections.MAX_LIFETIME,
                            Commands.CALL,
                            true,
                            deadline));
            try {
                new SchemaInstaller(database, connections, deadline).ensureInstalled(notCreated);
                return JdbcLockStore.open(new Namespace("test"), url, database, connections, deadline);
            } catch (SQLException | RuntimeException e) {
                connections.close();
                throw e;
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Locks on a store of this test, with a lease and calls that outlast a machine that stands still. */
    static Locks locks(LockStore store) {
        Properties settings = new Properties();
        settings.setProperty("lock.lease", "10m");
        settings.setProperty("lock.call-timeout", DurationText.format(Commands.CALL));
        return Locks.open(store, settings);
    }

    /** The authority of a composite, which makes what it needs. */
    public static AuthorityStore authority(String namespace, Map<String, String> settings) {
        return new JdbcLockProvider().openAuthority(new Namespace(namespace), config(settings), true);
    }

    /** What limits a call is the call's own time-out, unless the settings say otherwise. */
    public static Config config(Map<String, String> settings) {
        Properties properties = new Properties();
        properties.setProperty("lock.lease", "1h");
        properties.setProperty("lock.call-timeout", DurationText.format(Commands.CALL));
        properties.putAll(settings);
        return new Sources(Path.of("."), Map.of(), new Properties())
                .settings(properties, "test", new Keys(new JdbcLockProvider().keys()));
    }
}
