package dev.holdfast.lock.redis.trouble;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.RedisLockStore;
import dev.holdfast.lock.testing.Await;
import java.util.Optional;
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

    /**
     * Asks until it is told that nobody can have a lock, and why; never that the lock is busy, nor that it has it. A server that
     * is slow has not said why yet.
     */
    static void awaitReason(Locks locks, String word) {
        Await.until("the server says " + word, () -> {
            try {
                Optional<Lease> answer = locks.named("free").tryAcquire();
                answer.ifPresent(Lease::close);
                throw new AssertionError("answered in spite of " + word + ": " + answer);
            } catch (LockUnavailableException e) {
                return e.getMessage().contains(word);
            }
        });
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
