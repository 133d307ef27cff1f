package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.RedisLockStore;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.testing.Await;
import java.util.Optional;
import java.util.Properties;
import redis.clients.jedis.RedisClient;

/** Opens locks as an application does, and names the keys on a single server. */
final class Application {

    private Application() {}

    /** Locks in the namespace {@code default}; unless the settings say how long a lease is, with as long a call as the default allows. */
    static Locks open(String uri, String... settings) {
        Properties all = TestStores.settings(uri, settings);
        if (!all.containsKey("lock.lease")) {
            all.setProperty("lock.call-timeout", "10s");
        }
        return Locks.open(all);
    }

    /**
     * Tries to acquire until the store is unavailable for this reason. Until then it may be unavailable for another, such as a
     * timeout, but the lock is never granted and never busy.
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

    /** How many waiters are in the queue of a lock: one for each application, however many of its threads wait. */
    static long waiting(RedisClient client, String name) {
        return client.zcard("holdfast:{default:0}:queue:" + name);
    }

    /** The key of a lock. */
    static String key(String name) {
        return "holdfast:{default:0}:lock:" + name;
    }
}
