package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.RedisLockStore;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.util.Optional;
import java.util.Properties;
import redis.clients.jedis.RedisClient;

/** Opens locks as an application does, and names the keys on a single server. */
final class Application {

    private Application() {}

    /** Locks in the namespace {@code default}; unless the settings say otherwise, with leases and calls that outlast a machine's standing still. */
    static Locks open(String uri, String... settings) {
        Properties all = TestStores.settings(uri, settings);
        all.putIfAbsent("lock.lease", "5m");
        all.putIfAbsent("lock.call-timeout", "30s");
        return LocksOpener.open(all);
    }

    /** Releases the lease. A release that gets no answer for ten seconds is repeated from then on without its caller. */
    static boolean isReleasedNowOrLater(Lease lease) {
        try {
            return lease.release();
        } catch (LockUnavailableException e) {
            return true;
        }
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
        return TestStores.on(client, new Namespace("default"));
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
