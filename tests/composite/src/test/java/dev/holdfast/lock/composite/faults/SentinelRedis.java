package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import redis.clients.jedis.RedisClient;

/** A master and two replicas, one of which three sentinels promote. */
final class SentinelRedis implements ReplicatedRedis {

    private final Sentinels sentinels = Sentinels.start();

    @Override
    public String uri() {
        return sentinels.uri();
    }

    @Override
    public RedisServer master() {
        return sentinels.master();
    }

    /** The replicas look for their master at an unused address. */
    @Override
    public void cutReplication() {
        sentinels.tolerateStrayReplicas();
        for (RedisServer replica : sentinels.replicas()) {
            try (RedisClient client = replica.client()) {
                Administrator.order(client, "REPLICAOF", "127.0.0.1", "1");
            }
        }
    }

    @Override
    public RedisServer failOver() {
        return sentinels.failOver();
    }

    @Override
    public void close() {
        sentinels.close();
    }
}
