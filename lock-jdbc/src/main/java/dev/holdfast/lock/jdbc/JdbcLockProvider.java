package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.DatabaseType;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.jdbc.pool.PooledConnections;
import dev.holdfast.lock.jdbc.pool.StoreErrors;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.SchemaInstaller;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityProvider;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.support.Deadline;
import dev.holdfast.lock.spi.support.DurationText;
import dev.holdfast.lock.spi.support.Durations;
import java.net.URL;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * {@code lock.provider=jdbc}: locks in PostgreSQL ({@code lock.jdbc.url=jdbc:postgresql://host/database}), MariaDB ({@code
 * jdbc:mariadb://host/database}), MySQL ({@code jdbc:mysql://host/database}), H2 ({@code jdbc:h2:database}), or in a SQLite file
 * for the processes of one machine ({@code jdbc:sqlite:/path/to/file}).
 *
 * <ul>
 *   <li>{@code lock.jdbc.url}: required. The application provides the driver.
 *   <li>{@code lock.jdbc.username}, {@code lock.jdbc.password}: for all but SQLite.
 *   <li>{@code lock.jdbc.pool-size}: the maximum number of connections: 8, on SQLite 1. A composite has one more.
 *   <li>{@code lock.jdbc.max-lifetime}: the maximum lifetime of a connection of that pool (30m); for servers.
 *   <li>{@code lock.jdbc.migrate}: whether to create missing tables ({@code true}), which needs Flyway on the class path.
 * </ul>
 */
@SuppressWarnings("exports") // the contract of the composite is for Holdfast's own modules
public final class JdbcLockProvider implements AuthorityProvider {

    private static final String URL = "lock.jdbc.url";
    private static final String USERNAME = "lock.jdbc.username";
    private static final String PASSWORD = "lock.jdbc.password";
    private static final String POOL_SIZE = "lock.jdbc.pool-size";
    private static final String MAX_LIFETIME = "lock.jdbc.max-lifetime";
    private static final String MIGRATE = "lock.jdbc.migrate";

    private static final Optional<String> ONLY_READING =
            Optional.of("the first use of a lock creates them, this command only reads");

    private static final int STATE_POOL_SIZE = 1; // the authority state is read and changed by one call at a time

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
                ConfigKey.optional(POOL_SIZE, "8, SQLite 1"),
                ConfigKey.optional(MAX_LIFETIME, DurationText.format(PooledConnections.MAX_LIFETIME)),
                ConfigKey.optional(MIGRATE, "true"));
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, true, notCreated(config));
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
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
        DatabaseType type = checkedType(url, config);
        PostgreSql database = new PostgreSql(url);
        Deadline deadline = openingDeadline(config);
        int poolSize = poolSize(type, config);
        return open(
                url,
                type,
                database,
                settings(config, poolSize, create, deadline),
                create ? notCreated(config) : ONLY_READING,
                origins(url, config),
                forLocks -> database.authority(
                        url, type.open(url, settings(config, STATE_POOL_SIZE, create, deadline)), forLocks, namespace));
    }

    @Override
    public Set<Capability> authorityCapabilities() {
        return PostgreSql.CAPABILITIES;
    }

    private static Deadline openingDeadline(Config config) {
        return Deadline.in(Durations.max(JdbcLockStore.OPEN_TIMEOUT, config.callTimeout()));
    }

    private static Optional<String> notCreated(Config config) {
        return config.flag(MIGRATE, true) ? Optional.empty() : Optional.of(MIGRATE + " is false");
    }

    /**
     * @param create whether to create a database that is a file
     * @param notCreated the reason why missing tables are not created; empty if they are
     */
    private static LockStore open(Namespace namespace, Config config, boolean create, Optional<String> notCreated) {
        JdbcUrl url = new JdbcUrl(config.required(URL));
        DatabaseType type = checkedType(url, config);
        Deadline deadline = openingDeadline(config);
        Database database = type.database(url);
        return open(
                url,
                type,
                database,
                settings(config, poolSize(type, config), create, deadline),
                notCreated,
                origins(url, config),
                connections -> JdbcLockStore.open(namespace, url, database, connections, deadline));
    }

    private static DatabaseType checkedType(JdbcUrl url, Config config) {
        DatabaseType type = DatabaseTypes.of(url).orElseThrow(() -> config.invalid(URL, DatabaseTypes.urlForms()));
        type.allowedInstead(url).ifPresent(allowed -> {
            throw config.invalid(URL, allowed);
        });
        return type;
    }

    private static int poolSize(DatabaseType type, Config config) {
        return config.integer(POOL_SIZE, type.poolSize(), 1, type.maxPoolSize());
    }

    private static DatabaseType.Settings settings(Config config, int poolSize, boolean create, Deadline deadline) {
        return new DatabaseType.Settings(
                config.text(USERNAME),
                config.text(PASSWORD),
                poolSize,
                config.duration(MAX_LIFETIME, PooledConnections.SHORTEST_LIFETIME)
                        .orElse(PooledConnections.MAX_LIFETIME),
                config.callTimeout(),
                create,
                deadline);
    }

    /** The settings that select the database, for an error from it. */
    private static String origins(JdbcUrl url, Config config) {
        return url.isSqlite()
                ? config.withOrigin(URL)
                : config.withOrigin(URL) + ", " + config.withOrigin(USERNAME) + ", " + config.withOrigin(PASSWORD);
    }

    private static <T> T open(
            JdbcUrl url,
            DatabaseType type,
            Database database,
            DatabaseType.Settings settings,
            Optional<String> notCreated,
            String origins,
            StoreFactory<T> storeFactory) {
        try {
            Connections connections = type.open(url, settings);
            try {
                new SchemaInstaller(database, connections, settings.deadline()).ensureInstalled(notCreated);
                return storeFactory.open(connections);
            } catch (SQLException | RuntimeException e) {
                connections.close();
                throw e;
            }
        } catch (SQLException e) {
            throw StoreErrors.opening(url, e, type.errors().classify(e), origins);
        }
    }

    @FunctionalInterface
    private interface StoreFactory<T> {
        T open(Connections connections) throws SQLException;
    }
}
