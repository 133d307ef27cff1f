package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.RedisLockStore;
import java.util.Properties;
import redis.clients.jedis.RedisClient;

/** How an application opens its locks, and what it leaves on a single server. */
final class Application {

    private Application() {}

    /** Locks in the namespace {@code default}. */
    static Locks open(String uri, String... settings) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "redis");
        properties.setProperty("lock.redis.uri", uri);
        for (int at = 0; at < settings.length; at += 2) {
            properties.setProperty(settings[at], settings[at + 1]);
        }
        return Locks.open(properties);
    }

    /** The store itself, on this client, in the same namespace. */
    static RedisLockStore store(RedisClient client) {
        return RedisLockStore.of(client);
    }

    /** How many are in the queue of a lock: each one an application, however many of its threads wait. */
    static long waiting(RedisClient client, String name) {
        return client.zcard("holdfast:{default:0}:queue:" + name);
    }

    /** The key that shows who holds a lock. */
    static String key(String name) {
        return "holdfast:{default:0}:lock:" + name;
    }
}
