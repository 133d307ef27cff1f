package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** The three locks of Redisson that wait in three ways. Its watchdog renews them: no time is given for which they are held. */
final class RedissonLocks implements Peer {

    private static final int SUBSCRIBING_CONNECTIONS = 50;
    private static final int SUBSCRIPTIONS_PER_CONNECTION = 5;
    private static final String STATED = Pool.STATED + "; renewed by the watchdog; ";
    private static final String WOKEN =
            "woken by publish/subscribe over up to " + SUBSCRIBING_CONNECTIONS + " connections more";

    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, RLock> kind;

    private RedissonLocks(Place place, BiFunction<RedissonClient, String, RLock> kind) {
        this.client = client(place);
        this.kind = kind;
    }

    static Candidate plain() {
        return candidate(
                "redisson", "Redisson, lock", WOKEN, place -> new RedissonLocks(place, RedissonClient::getLock));
    }

    static Candidate fair() {
        return candidate(
                "redisson-fair",
                "Redisson, fair lock",
                "queue in Redis, " + WOKEN + ", a channel for each waiting thread",
                place -> new RedissonLocks(place, RedissonClient::getFairLock));
    }

    static Candidate spin() {
        return candidate(
                "redisson-spin",
                "Redisson, spin lock",
                "tries again after 1 to 128 ms, exponentially",
                place -> new RedissonLocks(place, RedissonClient::getSpinLock));
    }

    private static Candidate candidate(String id, String title, String waiting, Candidate.Opening opening) {
        return new Candidate(id, title, Store.REDIS, false, true, STATED + waiting, opening);
    }

    private static RedissonClient client(Place place) {
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + place.redisPort())
                .setConnectionPoolSize(Pool.size(place))
                .setConnectionMinimumIdleSize(Pool.size(place))
                .setSubscriptionConnectionPoolSize(SUBSCRIBING_CONNECTIONS)
                // Room for a channel of each thread, which a fair lock has: its default is enough for 250.
                .setSubscriptionsPerConnection(
                        Math.max(SUBSCRIPTIONS_PER_CONNECTION, place.threads() / SUBSCRIBING_CONNECTIONS + 1));
        return Redisson.create(config);
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        RLock lock = kind.apply(client, "redisson:" + name);
        lock.lockInterruptibly();
        return lock::unlock;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
