package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.SqlErrors;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.Database;
import dev.holdfast.lock.jdbc.schema.SchemaInstaller;
import dev.holdfast.lock.jdbc.sqlite.Sqlite;
import dev.holdfast.lock.jdbc.sqlite.SqliteFile;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityProvider;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.support.Deadline;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * {@code lock.provider=jdbc}: locks in PostgreSQL ({@code lock.jdbc.url=jdbc:postgresql://host/database}), or in a SQLite
 * file for the processes of one machine ({@code lock.jdbc.url=jdbc:sqlite:/path/to/file}).
 *
 * <ul>
 *   <li>{@code lock.jdbc.url}: required. The application provides the driver.
 *   <li>{@code lock.jdbc.username}, {@code lock.jdbc.password}: for PostgreSQL.
 *   <li>{@code lock.jdbc.pool-size}: the largest number of connections; 8 on PostgreSQL, 1 on SQLite. A composite has one more.
 *   <li>{@code lock.jdbc.migrate}: whether to create missing tables ({@code true}), which takes Flyway on the class path.
 * </ul>
 */
@SuppressWarnings("exports") // the contract of the composite is for Holdfast's own modules
public final class JdbcLockProvider implements AuthorityProvider {

    private static final String URL = "lock.jdbc.url";
    private static final String USERNAME = "lock.jdbc.username";
    private static final String PASSWORD = "lock.jdbc.password";
    private static final String POOL_SIZE = "lock.jdbc.pool-size";
    private static final String MIGRATE = "lock.jdbc.migrate";

    private static final Optional<String> ONLY_READING =
            Optional.of("the first use of a lock creates them, this command only reads");

    private static final int POSTGRESQL_POOL_SIZE = 8;
    private static final int STATE_POOL_SIZE = 1; // a composite reads and changes the authority state in turn
    private static final int SQLITE_POOL_SIZE = 1;

    /** For {@link java.util.ServiceLoader}. */
    public JdbcLockProvider() {}

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public Set<ConfigKey> keys() {
        return Set.of(
                ConfigKey.required(URL),
                ConfigKey.optional(USERNAME, "none"),
                ConfigKey.secret(PASSWORD),
                ConfigKey.optional(POOL_SIZE, POSTGRESQL_POOL_SIZE + ", SQLite " + SQLITE_POOL_SIZE),
                ConfigKey.optional(MIGRATE, "true"));
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, true, notCreated(config));
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        new JdbcUrl(config.required(URL)).file().filter(Files::notExists).ifPresent(file -> {
            throw new LockConfigurationException(
                    "there is no file " + file + " yet: the first use of a lock creates it");
        });
        return open(namespace, config, false, ONLY_READING);
    }

    /** On PostgreSQL only. */
    @Override
    public AuthorityStore openAuthority(Namespace namespace, Config config, boolean create) {
        JdbcUrl url = new JdbcUrl(config.required(URL));
        if (!url.isPostgreSql()) {
            throw config.invalid(
                    URL,
                    "for the authority of a composite jdbc:postgresql://<host>/<database>, which every machine can reach");
        }
        PostgreSql database = new PostgreSql();
        return open(
                url,
                database,
                create ? notCreated(config) : ONLY_READING,
                Deadline.in(JdbcLockStore.OPEN_TIMEOUT),
                () -> openPostgreSql(url, config, poolSize(config)),
                forLocks -> database.authority(url, openPostgreSql(url, config, STATE_POOL_SIZE), forLocks, namespace));
    }

    private static Optional<String> notCreated(Config config) {
        return config.flag(MIGRATE, true) ? Optional.empty() : Optional.of(MIGRATE + " is false");
    }

    /**
     * @param createFile whether a missing file is created
     * @param notCreated the reason why missing tables are not created; empty if they are
     */
    private static LockStore open(Namespace namespace, Config config, boolean createFile, Optional<String> notCreated) {
        JdbcUrl url = new JdbcUrl(config.required(URL));
        Deadline deadline = Deadline.in(JdbcLockStore.OPEN_TIMEOUT);
        Database database;
        ConnectionsFactory factory;
        if (url.isSqlite()) {
            Path file = url.file()
                    .orElseThrow(() -> config.invalid(URL, "jdbc:sqlite:<file>, a plain path without parameters"));
            int poolSize = config.integer(POOL_SIZE, SQLITE_POOL_SIZE, 1, 2);
            database = new Sqlite(url);
            factory = () -> createFile
                    ? SqliteFile.open(url, file, poolSize, deadline)
                    : SqliteFile.openExisting(url, poolSize, deadline);
        } else if (url.isPostgreSql()) {
            database = new PostgreSql();
            factory = () -> openPostgreSql(url, config, poolSize(config));
        } else {
            throw config.invalid(URL, "jdbc:postgresql://<host>/<database> or jdbc:sqlite:<file>");
        }
        return open(
                url,
                database,
                notCreated,
                deadline,
                factory,
                connections -> JdbcLockStore.open(namespace, url, database, connections, deadline));
    }

    private static int poolSize(Config config) {
        return config.integer(POOL_SIZE, POSTGRESQL_POOL_SIZE, 1, 1_000);
    }

    private static Connections openPostgreSql(JdbcUrl url, Config config, int poolSize) throws SQLException {
        if (url.hasUser()) { // the driver would take it for a part of the host, and quote it
            throw config.invalid(
                    URL, "jdbc:postgresql://<host>/<database>, with the user in " + USERNAME + " and " + PASSWORD);
        }
        return PostgreSql.open(url, config.text(USERNAME), config.text(PASSWORD), poolSize, config.callTimeout());
    }

    private static <T> T open(
            JdbcUrl url,
            Database database,
            Optional<String> notCreated,
            Deadline deadline,
            ConnectionsFactory factory,
            StoreFactory<T> storeFactory) {
        try {
            Connections connections = factory.open();
            try {
                new SchemaInstaller(database, connections, deadline).ensureInstalled(notCreated);
                return storeFactory.open(connections);
            } catch (SQLException | RuntimeException e) {
                connections.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqlErrors.opening(url, e, URL + ", .username and .password");
        }
    }

    @FunctionalInterface
    private interface ConnectionsFactory {
        Connections open() throws SQLException;
    }

    @FunctionalInterface
    private interface StoreFactory<T> {
        T open(Connections connections) throws SQLException;
    }
}
