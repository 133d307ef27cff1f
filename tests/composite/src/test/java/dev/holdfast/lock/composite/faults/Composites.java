package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.composite.CompositeGroup;
import dev.holdfast.lock.composite.Servers;
import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import redis.clients.jedis.RedisClient;

/** Composites in namespaces of their own, on one Redis and one database; those of a namespace go by a clock that is set ahead. */
final class Composites implements AutoCloseable {

    /** Longer than anything stands still. */
    static final Timing TIMING = new Timing(Duration.ofSeconds(30));

    /** No call hangs for longer than a test waits for anything. */
    static final Duration LONG = Await.HANG;

    private final Servers servers;

    /** On servers that are this test's to break. */
    Composites() {
        this(new Servers(RedisServer.own()));
    }

    /** The tables are there once one has been opened: those of a test need not wait for each other's. */
    private Composites(Servers servers) {
        this.servers = servers;
        open("first").close();
    }

    /** On a Redis server of this test's own, and the database server that tests share. */
    static Composites onOwnRedis() {
        return new Composites(Servers.sharing(RedisServer.own()));
    }

    /** On the servers of all tests of this JVM that do them no harm; they end with the JVM. Each namespace is one test's. */
    static Composites shared() {
        return Shared.COMPOSITES;
    }

    RedisServer redis() {
        return servers.redis();
    }

    PostgresServer postgres() {
        return servers.postgres();
    }

    /** How a process opens one. */
    Properties configuration(String namespace) {
        Properties locks = servers.configuration("stepped", TIMING.lease().toSeconds() + "s");
        locks.setProperty("lock.namespace", namespace);
        locks.setProperty("lock.lease", "1h");
        locks.setProperty("lock.call-timeout", "1m");
        return locks;
    }

    /** Opens one, and waits until Redis grants. */
    Locks open(String namespace) {
        return open(configuration(namespace));
    }

    Locks open(Properties configuration) {
        Locks locks = LocksOpener.open(configuration);
        String namespace = configuration.getProperty("lock.namespace");
        pass(namespace, "Redis grants", () -> mode(namespace).equals("PRIMARY"));
        return locks;
    }

    /** Time goes on for all composites of this namespace until this is so. */
    void pass(String namespace, String until, Callable<Boolean> condition) {
        CompositeGroup.of(namespace).stepUntil(until, TIMING, condition);
    }

    /** The same until the lock is granted. */
    Lease passUntilGranted(String namespace, CompletableFuture<Lease> acquiring) throws Exception {
        pass(namespace, "it is granted", acquiring::isDone);
        return acquiring.get();
    }

    /** The same for as long as whatever is to be proposed is proposed. */
    void pass(String namespace, Duration time) {
        for (long passed = 0; passed < time.dividedBy(TIMING.readInterval()); passed++) {
            CompositeGroup.of(namespace).step(TIMING);
        }
    }

    /** Takes from Redis what it has to have to grant. */
    void removeMark(String namespace) {
        try (RedisClient client = redis().client()) {
            client.del("holdfast:{" + namespace + ":0}:term");
        }
    }

    String mode(String namespace) {
        return authorityState("phase", namespace);
    }

    long epoch(String namespace) {
        return Long.parseLong(authorityState("epoch", namespace));
    }

    private String authorityState(String column, String namespace) {
        return servers.value(
                "SELECT " + column + " FROM holdfast_authority_state WHERE namespace = '" + namespace + "'");
    }

    /** How many rows the database has of this lock. */
    int rows(String namespace, String name) {
        return Integer.parseInt(servers.value(
                "SELECT count(*) FROM holdfast_lock WHERE namespace = '" + namespace + "' AND name = '" + name + "'"));
    }

    /** How many processes say that they cannot reach the primary that is in power. */
    int suspecting(String namespace) {
        return Integer.parseInt(servers.value(
                "SELECT count(*) FROM holdfast_member m JOIN holdfast_authority_state r USING (namespace) WHERE m.suspected_epoch = r.epoch"
                        + " AND namespace = '" + namespace + "'"));
    }

    @Override
    public void close() {
        servers.close();
    }

    /** What is made once. */
    private static final class Shared {
        private static final Composites COMPOSITES = new Composites(Servers.sharing(RedisServer.shared()));

        private Shared() {}
    }
}
