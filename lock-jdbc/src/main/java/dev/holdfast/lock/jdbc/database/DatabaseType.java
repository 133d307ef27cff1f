package dev.holdfast.lock.jdbc.database;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.pool.Connections;
import dev.holdfast.lock.jdbc.pool.ErrorClasses;
import dev.holdfast.lock.jdbc.pool.JdbcUrl;
import dev.holdfast.lock.spi.support.Deadline;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** A kind of database as the provider sees it: its URLs and products, and the opening of connections to it. Thread-safe. */
public interface DatabaseType {

    /** The form of the URLs, for error messages. */
    String urlForm();

    /** Whether this kind of database is behind a URL. */
    boolean accepts(JdbcUrl url);

    /** Whether this kind of database is behind connections with this product name, whatever their URL. */
    boolean isProduct(String productName);

    /**
     * Checks that a store can be opened by a URL of the configuration.
     *
     * @return the URLs that are allowed, for the error message; empty if this is one
     */
    default Optional<String> allowedInstead(JdbcUrl url) {
        return url.hasUser()
                ? Optional.of(urlForm() + ", with the user in lock.jdbc.username and lock.jdbc.password")
                : Optional.empty();
    }

    /** The default number of connections. */
    default int poolSize() {
        return 8;
    }

    /** The maximum number of connections that can be configured. */
    default int maxPoolSize() {
        return 1_000;
    }

    /** The meaning of the database's errors. */
    ErrorClasses errors();

    /**
     * Opens a pool.
     *
     * @throws LockConfigurationException if a setting cannot be right
     * @throws SQLException if there is no first connection
     */
    Connections open(JdbcUrl url, Settings settings) throws SQLException;

    /**
     * The database behind a URL.
     *
     * @throws LockConfigurationException if it can keep no locks
     */
    Database database(JdbcUrl url);

    /**
     * Settings of a pool.
     *
     * @param poolSize the maximum number of connections
     * @param maxLifetime the maximum lifetime of a connection
     * @param callTimeout of a call; the driver gives up at about the same time
     * @param create whether to create a database that is a file, if it is absent
     * @param deadline for opening
     */
    record Settings(
            Optional<String> username,
            Optional<String> password,
            int poolSize,
            Duration maxLifetime,
            Duration callTimeout,
            boolean create,
            Deadline deadline) {}
}
