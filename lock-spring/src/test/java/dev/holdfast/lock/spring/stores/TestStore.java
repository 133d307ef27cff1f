package dev.holdfast.lock.spring.stores;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;

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

    /**
     * The configuration of a new namespace. Two locks that are opened with it are as two processes. The machine may stand still for
     * many seconds: that must become neither an outage nor the end of a lease.
     */
    public Properties newNamespace() {
        Properties configuration = new Properties();
        configuration.setProperty("lock.provider", provider);
        configuration.setProperty("lock.namespace", "test-" + UUID.randomUUID());
        configuration.setProperty("lock.lease", "10m");
        configuration.setProperty("lock.call-timeout", "1m");
        if (this != POSTGRESQL) {
            configuration.setProperty("lock.redis.timeout", "1m");
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
            configuration.setProperty("lock.composite.authority-lease", "30s");
        }
        return configuration;
    }

    /** The holder of a lock of that namespace. */
    public static LockInfo.Holder holder(Properties configuration, String name) {
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            return holder(admin, name);
        }
    }

    private static LockInfo.Holder holder(LockAdmin admin, String name) {
        try (Stream<LockInfo> found = admin.locks(name)) {
            return found.flatMap(lock -> lock.holder().stream()).findFirst().orElseThrow();
        }
    }

    /** Takes a lock away from its holder, which learns of it at its next call. */
    public static void takeAway(Properties configuration, String name) {
        try (LockAdmin admin = LockAdmin.of(configuration)) {
            assertThat(admin.forceRelease(new LockName(name), holder(admin, name)))
                    .isTrue();
        }
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
