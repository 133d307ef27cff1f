package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.composite.Servers;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.pulse.Patiently;
import dev.holdfast.lock.redis.server.Awaiting;
import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.Properties;
import redis.clients.jedis.RedisClient;

/** Composites in namespaces of their own, on one Redis and one database. */
final class Composites implements AutoCloseable {

    static final Duration REGIME_LEASE = Duration.ofSeconds(2);

    /** No call hangs for longer than a test waits for anything. */
    static final Duration LONG = Duration.ofMinutes(1);

    private final Servers servers = new Servers(RedisServer.own());
    private final Duration regimeLease;

    Composites() {
        this(REGIME_LEASE);
    }

    /** The tables are there once somebody has opened one: those of a test need not wait for each other's. */
    Composites(Duration regimeLease) {
        this.regimeLease = regimeLease;
        open("first").close();
    }

    RedisServer redis() {
        return servers.redis();
    }

    PostgresServer postgres() {
        return servers.postgres();
    }

    /** How a process opens one. */
    Properties configuration(String namespace) {
        Properties locks = servers.configuration("composite", DurationText.format(regimeLease));
        locks.setProperty("lock.namespace", namespace);
        locks.setProperty("lock.lease", "1m");
        locks.setProperty("lock.call-timeout", "5s");
        return locks;
    }

    /** Opens one, and waits until Redis grants. */
    Locks open(String namespace) {
        return open(configuration(namespace));
    }

    Locks open(Properties configuration) {
        Locks locks = Patiently.ask(() -> Locks.open(configuration));
        Awaiting.until(
                "Redis grants",
                () -> mode(configuration.getProperty("lock.namespace")).equals("PRIMARY"));
        return locks;
    }

    /** Takes from Redis what it has to have to grant. */
    void removeMark(String namespace) {
        try (RedisClient client = redis().client()) {
            client.del("holdfast:{" + namespace + ":0}:reign");
        }
    }

    String mode(String namespace) {
        return regime("mode", namespace);
    }

    long epoch(String namespace) {
        return Long.parseLong(regime("epoch", namespace));
    }

    private String regime(String column, String namespace) {
        return servers.value("SELECT " + column + " FROM holdfast_regime WHERE namespace = '" + namespace + "'");
    }

    /** How many rows the database has of this lock. */
    int rows(String namespace, String name) {
        return Integer.parseInt(servers.value(
                "SELECT count(*) FROM holdfast_lock WHERE namespace = '" + namespace + "' AND name = '" + name + "'"));
    }

    /** How many processes say that they cannot reach the primary that is in power. */
    int suspecting(String namespace) {
        return Integer.parseInt(servers.value(
                "SELECT count(*) FROM holdfast_member m JOIN holdfast_regime r USING (namespace) WHERE m.suspected = r.epoch"
                        + " AND namespace = '" + namespace + "'"));
    }

    @Override
    public void close() {
        servers.close();
    }
}
