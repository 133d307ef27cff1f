package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.testserver.Keys;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;

/** The conformance kit on Redis, in any topology. */
abstract class RedisContract extends LockStoreContract {

    private static final String TOKEN = "}:token";

    /**
     * Rules of one script on one server, or of the engine alone: each build tests them on a single server, and
     * of all topologies with {@code -Plong}.
     */
    private static final List<String> ON_ONE_SERVER = List.of(
            "P1.1", "P1.6", "P1.7", "P1.8", "P1.9", "P1.10", "P1.11", "P1.12", "P1.13", "P1.16", "P1.19", "P1.20",
            "P1.21", "P2.1", "P2.2", "P2.5", "P2.6", "P2.7", "P2.8", "P2.9", "P2.10", "P3.1", "P3.2", "P4.1", "P4.2",
            "P4.3", "P4.4", "P4.5", "P4.6", "P4.12", "P4.13", "P5.1", "P5.2", "P5.3", "P5.4", "P7.1", "P7.2", "P7.3",
            "P7.5", "P7.6", "P7.7", "P7.8", "P7.10", "P7.11", "P7.12", "P7.14", "P7.15", "P7.16", "P7.17", "P8.2",
            "P8.6", "P8.8", "P8.9", "P9.3", "P9.4", "P9.5", "P10.1", "P10.2", "P10.3", "P10.4", "P10.6", "I1", "I2",
            "I3", "I6", "I7", "M1", "M2");

    /** For a topology of several servers: the rules that it has no part in, and these. */
    static Map<String, String> exemptionsOfSeveralServers(String... more) {
        if (Integer.getInteger("lock.test.scale", 1) > 1) {
            return Map.of();
        }
        return Stream.concat(ON_ONE_SERVER.stream(), Stream.of(more))
                .collect(
                        Collectors.toMap(
                                rule -> rule,
                                rule ->
                                        "one script on one server: asked of a single server, and here by a long build (-Plong)"));
    }

    /** The servers that have the locks at the moment. */
    protected abstract Set<RedisServer> masters();

    /** Adds this much to every stored time. */
    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        for (RedisServer master : masters()) {
            try (RedisClient client = master.client()) {
                Keys.of(client, namespace).forEach(key -> later(client, key, by));
            }
        }
    }

    private static void later(RedisClient client, String key, Duration by) {
        long micros = by.toMillis() * 1_000;
        String kind = key.substring(key.indexOf("}:") + 2);
        if (kind.equals("token")) {
            client.incrBy(key, micros);
        } else if (kind.startsWith("seen:")) {
            client.zrange(key, 0, -1).forEach(each -> client.zincrby(key, (double) by.toMillis(), each));
        } else if (kind.startsWith("reservation:")) {
            client.set(key, Long.toString(Long.parseLong(client.get(key)) + by.toMillis()));
        } else if (kind.startsWith("lock:")) {
            long left = client.pttl(key);
            String[] words = client.get(key).split(" ", 5);
            words[3] = Long.toString(Long.parseLong(words[3]) + micros);
            client.set(key, String.join(" ", words));
            client.pexpire(key, left + by.toMillis());
        } else if (kind.startsWith("tombstone:")) {
            client.pexpire(key, client.pttl(key) + by.toMillis());
        }
    }

    /** Everything expires by itself. */
    @Override
    protected void prune(Namespace namespace) {}

    @Override
    protected long namesKept(Namespace namespace) {
        long names = 0;
        for (RedisServer master : masters()) {
            try (RedisClient client = master.client()) {
                names += Keys.of(client, namespace).stream()
                        .filter(key -> !key.endsWith(TOKEN))
                        .map(RedisContract::name)
                        .distinct()
                        .count();
            }
        }
        return names;
    }

    /** The lock name in a key. */
    private static String name(String key) {
        String kind = key.substring(key.indexOf("}:") + 2);
        String rest = kind.substring(kind.indexOf(':') + 1);
        return kind.startsWith("tombstone:") ? rest.substring(rest.indexOf(':') + 1) : rest;
    }
}
