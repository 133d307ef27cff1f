package dev.holdfast.lock.spring.stores;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;

/** The stores on which the adapters are tested: real servers, which all tests of this JVM share and which do them no harm. */
public enum TestStore {
    REDIS("redis"),
    POSTGRESQL("jdbc"),
    /** Redis, and PostgreSQL as its authority. */
    COMPOSITE("composite");

    private final String provider;

    TestStore(String provider) {
        this.provider = provider;
    }

    /** The configuration of a new namespace. Two locks that are opened with it are as two processes. */
    public Properties newNamespace() {
        Properties configuration = new Properties();
        configuration.setProperty("lock.provider", provider);
        configuration.setProperty("lock.namespace", "test-" + UUID.randomUUID());
        if (this != POSTGRESQL) {
            configuration.setProperty("lock.redis.uri", RedisServer.shared().uri());
        }
        if (this != REDIS) {
            configuration.setProperty("lock.jdbc.url", Database.URL);
            configuration.setProperty(
                    "lock.jdbc.username", PostgresServer.shared().username());
            configuration.setProperty(
                    "lock.jdbc.password", PostgresServer.shared().password());
        }
        if (this == COMPOSITE) {
            configuration.setProperty("lock.composite.primary", REDIS.provider);
            configuration.setProperty("lock.composite.fallback", POSTGRESQL.provider);
            configuration.setProperty("lock.composite.authority-lease", "2s"); // the shortest lease depends on it
        }
        return configuration;
    }

    /** Made when it is asked for first. */
    private static final class Database {
        private static final String URL = newDatabase();

        private static String newDatabase() {
            try {
                return PostgresServer.shared().newDatabase();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
