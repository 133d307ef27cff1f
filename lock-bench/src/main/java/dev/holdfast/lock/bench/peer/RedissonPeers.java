package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.server.Endpoints;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks. No lease time is given, so that its watchdog renews them. */
final class RedissonPeers {

    static final int SUBSCRIPTION_CONNECTIONS = 50;
    private static final int MIN_SUBSCRIPTIONS_PER_CONNECTION = 5;

    private RedissonPeers() {}

    static Peer open(Endpoints endpoints, BiFunction<RedissonClient, String, RLock> kind) {
        Config config = new Config();
        config.useSingleServer()
                .setAddress("redis://127.0.0.1:" + endpoints.redisPort())
                .setConnectionPoolSize(endpoints.connections())
                .setConnectionMinimumIdleSize(endpoints.connections())
                .setSubscriptionConnectionPoolSize(SUBSCRIPTION_CONNECTIONS)
                // A fair lock has a channel for each thread; the default is enough for 250.
                .setSubscriptionsPerConnection(Math.max(
                        MIN_SUBSCRIPTIONS_PER_CONNECTION, endpoints.connections() / SUBSCRIPTION_CONNECTIONS + 1));
        RedissonClient client = Redisson.create(config);
        return new Peer(
                name -> {
                    RLock lock = kind.apply(client, "redisson:" + name);
                    lock.lockInterruptibly();
                    return lock::unlock;
                },
                client::shutdown);
    }
}
