package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.Sentinels;
import dev.holdfast.lock.redis.trouble.Administrator;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.RedisClient;

/** A master and two replicas, one of which three sentinels promote. */
final class Watched implements Replicated {

    private final Sentinels sentinels = Sentinels.start();

    @Override
    public String uri() {
        return sentinels.uri();
    }

    @Override
    public RedisServer master() {
        return sentinels.master();
    }

    /** A sentinel that stood still acts for nobody for half a minute, and then thinks the replicas too old. */
    @Override
    public List<RedisServer> all() {
        return Stream.of(List.of(master()), sentinels.replicas(), sentinels.sentinels())
                .flatMap(List::stream)
                .toList();
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
