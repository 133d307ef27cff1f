package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** The pattern that Redis' own pages show: one command to take the lock, a compare-and-delete to give it back. */
final class JedisSetNx implements Peer {

    private static final long HOLDING_LIMIT_MILLIS = 30_000;
    private static final long SLEEP_MILLIS = 20;

    private final RedisClient redis;
    private final Script release;
    private final String process = UUID.randomUUID() + ":";
    private final AtomicLong acquisitions = new AtomicLong();

    private JedisSetNx(Place place) {
        this.redis = Pool.jedis(place);
        this.release = Script.compareAndDelete(redis);
    }

    static Candidate candidate() {
        return new Candidate(
                "jedis-setnx",
                "Bare Jedis, SET NX PX",
                Store.REDIS,
                false,
                true,
                Pool.STATED + "; SET NX PX 30000, not renewed; while busy sleeps 20 ms; compare-and-delete by EVALSHA",
                JedisSetNx::new);
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        String key = "jedis-setnx:" + name;
        String value = process + acquisitions.incrementAndGet();
        SetParams ifAbsent = SetParams.setParams().nx().px(HOLDING_LIMIT_MILLIS);
        while (redis.set(key, value, ifAbsent) == null) {
            Thread.sleep(SLEEP_MILLIS);
        }
        return release.holding(key, value);
    }

    @Override
    public void close() {
        redis.close();
    }
}
