package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.bench.server.Endpoints;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks. No lease time is given, so that its watchdog renews them; permits it does not renew. */
final class RedissonPeers {

    static final int SUBSCRIPTION_CONNECTIONS = 50;
    static final int PERMIT_SECONDS = 30;
    private static final String PREFIX = "redisson:";
    private static final int MIN_SUBSCRIPTIONS_PER_CONNECTION = 5;

    private RedissonPeers() {}

    static Peer open(Endpoints endpoints, BiFunction<RedissonClient, String, RLock> kind) {
        RedissonClient client = client(endpoints);
        return new Peer(name -> locked(kind.apply(client, PREFIX + name)), client::shutdown);
    }

    /** Its read-write lock for readers and writers, and its semaphore of permits that expire. */
    static Peer openShares(Endpoints endpoints) {
        RedissonClient client = client(endpoints);
        Map<String, RPermitExpirableSemaphore> semaphores = new ConcurrentHashMap<>();
        return new Peer(
                (name, share) -> {
                    if (share.kind() != LeaseKind.PERMITS) {
                        RReadWriteLock lock = client.getReadWriteLock(PREFIX + name);
                        return locked(share.isExclusive() ? lock.writeLock() : lock.readLock());
                    }
                    RPermitExpirableSemaphore semaphore =
                            semaphores.computeIfAbsent(name, any -> semaphore(client, name, share.limit()));
                    List<String> permits = semaphore.acquire(share.permits(), PERMIT_SECONDS, TimeUnit.SECONDS);
                    return () -> semaphore.release(permits);
                },
                client::shutdown);
    }

    private static AutoCloseable locked(RLock lock) throws InterruptedException {
        lock.lockInterruptibly();
        return lock::unlock;
    }

    private static RPermitExpirableSemaphore semaphore(RedissonClient client, String name, int limit) {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(PREFIX + "permits:" + name);
        boolean unused = semaphore.trySetPermits(limit); // false if another process has set them
        return semaphore;
    }

    private static RedissonClient client(Endpoints endpoints) {
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + endpoints.redisPort())
                .setConnectionPoolSize(endpoints.connections())
                .setConnectionMinimumIdleSize(endpoints.connections())
                .setSubscriptionConnectionPoolSize(SUBSCRIPTION_CONNECTIONS)
                // A fair lock has a channel for each thread; the default is enough for 250.
                .setSubscriptionsPerConnection(Math.max(
                        MIN_SUBSCRIPTIONS_PER_CONNECTION, endpoints.connections() / SUBSCRIPTION_CONNECTIONS + 1));
        return Redisson.create(config);
    }
}
