package dev.holdfast.lock.cli;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;

/** Configurations of stores for tests, as the lines of a {@code lock.properties}. */
final class TestStores {

    /** The machine may stand still for many seconds: that must become neither an outage nor the end of a lease. */
    static final String PATIENT = "lock.lease=10m\nlock.call-timeout=2m\n";

    private TestStores() {}

    /** The same store for leases of half a minute, which must be as long as a call may take. */
    static String forBriefLeases(String configuration) {
        return configuration.replace("lock.call-timeout=2m", "lock.call-timeout=10s");
    }

    static String sqlite(Path file) {
        return "lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:" + file + "\n" + PATIENT;
    }

    /** A new database on the shared server. */
    static String postgres() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        return postgres(server.newDatabase(), server.username(), server.password());
    }

    static String postgres(String url, String username, String password) {
        return "lock.provider=jdbc\nlock.jdbc.url=" + url + "\nlock.jdbc.username=" + username + "\nlock.jdbc.password="
                + password + "\n" + PATIENT;
    }

    /** A new namespace on the shared server. */
    static String redis() {
        return redis(RedisServer.shared().uri());
    }

    /** A new namespace on this server. */
    static String redis(String uri) {
        return "lock.provider=redis\nlock.redis.uri=" + uri + "\nlock.redis.timeout=1m\nlock.namespace="
                + UUID.randomUUID() + "\n" + PATIENT;
    }

    /** A new database and namespace on the shared servers, for tests without a failover. */
    static String composite() throws SQLException {
        return composite(RedisServer.shared().uri(), "30s");
    }

    /** A new database, and a new namespace on this Redis, which may fail. */
    static String composite(String uri) throws SQLException {
        // As short as the stalls of a busy machine allow: a failover takes up to one and two thirds of it.
        return composite(uri, "18s");
    }

    private static String composite(String uri, String authorityLease) throws SQLException {
        String database = postgres().replace("lock.provider=jdbc\n", "").replace(PATIENT, ""); // redis's is enough
        String redis = redis(uri).replace("lock.provider=redis\n", "");
        return "lock.provider=composite\nlock.composite.authority-lease=" + authorityLease + "\n" + database + redis;
    }
}
