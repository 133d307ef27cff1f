package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.connection.Connections;
import dev.holdfast.lock.jdbc.connection.Failures;
import dev.holdfast.lock.jdbc.connection.JdbcUrl;
import dev.holdfast.lock.jdbc.database.Database;
import dev.holdfast.lock.jdbc.database.Tables;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.postgresql.Session;
import dev.holdfast.lock.jdbc.sqlite.Sqlite;
import dev.holdfast.lock.jdbc.sqlite.SqliteFile;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.Key;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.regime.AuthorityProvider;
import dev.holdfast.lock.spi.regime.AuthorityStore;
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
 *   <li>{@code lock.jdbc.url}: required. The driver is the application's to bring.
 *   <li>{@code lock.jdbc.username}, {@code lock.jdbc.password}: for PostgreSQL.
 *   <li>{@code lock.jdbc.pool-size}: how many connections at most; 8 on PostgreSQL, 1 on SQLite. A composite has one more.
 *   <li>{@code lock.jdbc.migrate}: whether to make and update the tables ({@code true}), which takes Flyway on the class
 *       path when they are missing.
 * </ul>
 */
@SuppressWarnings("exports") // the composite's contract is for our own modules
public final class JdbcLockProvider implements AuthorityProvider {

    private static final String URL = "lock.jdbc.url";
    private static final String USERNAME = "lock.jdbc.username";
    private static final String PASSWORD = "lock.jdbc.password";
    private static final String POOL_SIZE = "lock.jdbc.pool-size";
    private static final String MIGRATE = "lock.jdbc.migrate";

    private static final Optional<String> ONLY_LOOKING =
            Optional.of("and the first use of a lock makes them, not looking for one");

    private static final int POSTGRESQL_POOL_SIZE = 8;
    private static final int REGIME_POOL_SIZE = 1; // a composite reads it and changes it in turn
    private static final int SQLITE_POOL_SIZE = 1;

    /** For {@link java.util.ServiceLoader}. */
    public JdbcLockProvider() {}

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public Set<Key> keys() {
        return Set.of(
                Key.required(URL),
                Key.optional(USERNAME, "none"),
                Key.secret(PASSWORD),
                Key.optional(POOL_SIZE, POSTGRESQL_POOL_SIZE + ", SQLite " + SQLITE_POOL_SIZE),
                Key.optional(MIGRATE, "true"));
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return open(namespace, config, true, leftAlone(config));
    }

    @Override
    public LockStore openExisting(Namespace namespace, Config config) {
        new JdbcUrl(config.required(URL)).file().filter(Files::notExists).ifPresent(file -> {
            throw new LockConfigurationException("there is no file " + file + " yet: the first use of a lock makes it");
        });
        return open(namespace, config, false, ONLY_LOOKING);
    }

    /** On PostgreSQL only. */
    @Override
    public AuthorityStore openAuthority(Namespace namespace, Config config, boolean make) {
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
                make ? leftAlone(config) : ONLY_LOOKING,
                Deadline.in(JdbcLockStore.OPENING),
                () -> session(url, config, poolSize(config)),
                forLocks -> {
                    Connections forRegime = session(url, config, REGIME_POOL_SIZE);
                    return new JdbcAuthorityStore(namespace, url, database, forRegime, forLocks);
                });
    }

    private static Optional<String> leftAlone(Config config) {
        return config.flag(MIGRATE, true) ? Optional.empty() : Optional.of("and " + MIGRATE + " is false");
    }

    /**
     * @param isMade whether a file is made if it is missing
     * @param leftAlone why missing tables are not made; empty if they are
     */
    private static LockStore open(Namespace namespace, Config config, boolean isMade, Optional<String> leftAlone) {
        JdbcUrl url = new JdbcUrl(config.required(URL));
        Deadline deadline = Deadline.in(JdbcLockStore.OPENING);
        Database database;
        Opening opening;
        if (url.isSqlite()) {
            Path file = url.file()
                    .orElseThrow(() -> config.invalid(URL, "jdbc:sqlite:<file>, a plain path without parameters"));
            int poolSize = config.integer(POOL_SIZE, SQLITE_POOL_SIZE, 1, 2);
            database = new Sqlite(url);
            opening = () -> isMade
                    ? SqliteFile.open(url, file, poolSize, deadline)
                    : SqliteFile.openExisting(url, poolSize, deadline);
        } else if (url.isPostgreSql()) {
            database = new PostgreSql();
            opening = () -> session(url, config, poolSize(config));
        } else {
            throw config.invalid(URL, "jdbc:postgresql://<host>/<database> or jdbc:sqlite:<file>");
        }
        return open(
                url,
                database,
                leftAlone,
                deadline,
                opening,
                connections -> JdbcLockStore.open(namespace, url, database, connections, deadline));
    }

    private static int poolSize(Config config) {
        return config.integer(POOL_SIZE, POSTGRESQL_POOL_SIZE, 1, 1_000);
    }

    private static Connections session(JdbcUrl url, Config config, int poolSize) throws SQLException {
        if (url.namesUser()) { // the driver would take them for a part of the host, and quote them
            throw config.invalid(
                    URL, "jdbc:postgresql://<host>/<database>, with the user in " + USERNAME + " and " + PASSWORD);
        }
        return Session.open(url, config.text(USERNAME), config.text(PASSWORD), poolSize, config.callTimeout());
    }

    private static <T> T open(
            JdbcUrl url,
            Database database,
            Optional<String> leftAlone,
            Deadline deadline,
            Opening opening,
            Store<T> store) {
        try {
            Connections connections = opening.open();
            try {
                new Tables(database, connections, deadline).ensure(leftAlone);
                return store.on(connections);
            } catch (SQLException | RuntimeException e) {
                connections.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Failures.opening(url, e, URL + ", .username and .password");
        }
    }

    @FunctionalInterface
    private interface Opening {
        Connections open() throws SQLException;
    }

    @FunctionalInterface
    private interface Store<T> {
        T on(Connections connections) throws SQLException;
    }
}
