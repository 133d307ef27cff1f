package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.Sentinels;
import dev.holdfast.lock.redis.trouble.Administrator;
import redis.clients.jedis.RedisClient;

/** A master and two replicas, one of which three sentinels promote. */
final class SentinelRedis implements ReplicatedRedis {

    /** Ten times as long a replica may have heard nothing and be promoted: sentinels that stood still look on for half a minute. */
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

    /** They look for their master where nobody is; the sentinels set that right only after a while. */
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
