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
import dev.holdfast.lock.spi.support.Durations;
import java.net.URL;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * {@code lock.provider=jdbc}: locks in PostgreSQL ({@code lock.jdbc.url=jdbc:postgresql://host/database}), MariaDB ({@code
 * jdbc:mariadb://host/database}), MySQL ({@code jdbc:mysql://host/database}), H2 ({@code jdbc:h2:database}), or in a SQLite file
 * for the processes of one machine ({@code jdbc:sqlite:/path/to/file}). The application provides the driver. The documentation lists its
 * keys on the page Configuration.
 */
@SuppressWarnings("exports") // the contract of the composite is for Holdfast's own modules
public final class JdbcLockProvider implements AuthorityProvider {

    private static final ConfigKey<String> URL =
            ConfigKey.text("lock.jdbc.url", "JDBC URL of the database").required();
    private static final ConfigKey<String> USERNAME = ConfigKey.text("lock.jdbc.username", "the user of the database");
    private static final ConfigKey<String> PASSWORD = ConfigKey.text(
                    "lock.jdbc.password", "the password of the database's user")
            .secret();
    private static final ConfigKey<Integer> POOL_SIZE = poolSize(1_000).withDefaultText("8, SQLite 1");
    private static final ConfigKey<Duration> MAX_LIFETIME = ConfigKey.duration(
                    "lock.jdbc.max-lifetime",
                    PooledConnections.SHORTEST_LIFETIME,
                    "how long a connection of Holdfast's own pool lives at most")
            .withDefault(PooledConnections.MAX_LIFETIME);
    private static final ConfigKey<Boolean> MIGRATE = ConfigKey.flag(
                    "lock.jdbc.migrate", "whether Flyway creates and upgrades the tables")
            .withDefault(true);

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
    public Set<ConfigKey<?>> keys() {
        return Set.of(URL, USERNAME, PASSWORD, POOL_SIZE, MAX_LIFETIME, MIGRATE);
    }

    private static ConfigKey<Integer> poolSize(int greatest) {
        return ConfigKey.integer("lock.jdbc.pool-size", 1, greatest, "connections of Holdfast's own pool");
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
        JdbcUrl url = new JdbcUrl(config.get(URL));
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
        return config.get(MIGRATE) ? Optional.empty() : Optional.of(MIGRATE + " is false");
    }

    /**
     * @param create whether to create a database that is a file
     * @param notCreated the reason why missing tables are not created; empty if they are
     */
    private static LockStore open(Namespace namespace, Config config, boolean create, Optional<String> notCreated) {
        JdbcUrl url = new JdbcUrl(config.get(URL));
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
        return config.get(poolSize(type.maxPoolSize()).withDefault(type.poolSize()));
    }

    private static DatabaseType.Settings settings(Config config, int poolSize, boolean create, Deadline deadline) {
        return new DatabaseType.Settings(
                config.find(USERNAME),
                config.find(PASSWORD),
                poolSize,
                config.get(MAX_LIFETIME),
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
