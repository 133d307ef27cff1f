package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.testserver.Administrator;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.redis.testserver.Sentinels;
import redis.clients.jedis.RedisClient;

/** A master and two replicas, one of which three sentinels promote. */
final class SentinelRedis implements ReplicatedRedis {

    /** A replica may be promoted after ten times as long without its master: sentinels that were suspended wait half a minute. */
    private static final String MISSED_AFTER_MILLIS = "5000";

    private final Sentinels sentinels = Sentinels.start();

    SentinelRedis() {
        for (RedisServer sentinel : sentinels.sentinels()) {
            try (RedisClient client = sentinel.client()) {
                Administrator.order(client, "SENTINEL", "SET", "main", "down-after-milliseconds", MISSED_AFTER_MILLIS);
            }
        }
    }

    @Override
    public String uri() {
        return sentinels.uri();
    }

    @Override
    public RedisServer master() {
        return sentinels.master();
    }

    /** The replicas look for their master at an unused address; the sentinels correct that only after a while. */
    @Override
    public void cutReplication() {
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
