package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.testserver.Keys;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.util.Set;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** The conformance kit on Redis, in any topology. */
abstract class RedisContract extends LockStoreContract {

    private static final String TOKEN = "}:token";

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
        } else if (kind.startsWith("seen:") || kind.startsWith("ends:")) {
            client.zrange(key, 0, -1).forEach(each -> client.zincrby(key, (double) by.toMillis(), each));
            if (kind.startsWith("ends:")) {
                client.pexpire(key, client.pttl(key) + by.toMillis());
            }
        } else if (kind.startsWith("reservation:")) {
            client.set(key, Long.toString(Long.parseLong(client.get(key)) + by.toMillis()));
        } else if (kind.startsWith("lock:")) {
            String[] words = client.get(key).split(" ", 5);
            if (!words[0].equals("s")) { // which has no time
                words[3] = Long.toString(Long.parseLong(words[3]) + micros);
                client.set(key, String.join(" ", words), SetParams.setParams().keepTtl());
            }
            client.pexpire(key, client.pttl(key) + by.toMillis());
        } else if (kind.startsWith("shares:")) {
            client.hgetAll(key).forEach((id, share) -> {
                String[] words = share.split(" ", 6);
                words[4] = Long.toString(Long.parseLong(words[4]) + micros);
                client.hset(key, id, String.join(" ", words));
            });
            client.pexpire(key, client.pttl(key) + by.toMillis());
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
