package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.UUID;
import redis.clients.jedis.RedisClient;

/** A home-made lock as our users have it: SETNX and PEXPIRE in one script, and nothing that tells waiters in time. */
final class SeedScript implements Peer {

    /** Takes the lock and returns -1, or else returns for how many milliseconds it is still held. */
    private static final String SET_OR_REMAINING = """
            if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return -1
            end
            return redis.call('PTTL', KEYS[1])
            """;

    private static final long TAKEN = -1;
    private static final String HOLDING_LIMIT_MILLIS = "5000";
    private static final long SPIN_MILLIS = 5;

    private final RedisClient redis;
    private final Script acquire;
    private final Script release;

    private SeedScript(Place place) {
        this.redis = Pool.jedis(place);
        this.acquire = new Script(redis, SET_OR_REMAINING);
        this.release = Script.compareAndDelete(redis);
    }

    static Candidate candidate() {
        return new Candidate(
                "seed-lettuce-spin",
                "Home-made: script, spins every 5 ms",
                Store.REDIS,
                false,
                true,
                Pool.STATED + " (Jedis); held for 5 s at most, not renewed; while busy tries again every 5 ms",
                SeedScript::new);
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        String key = "seed-script:" + name;
        String value = UUID.randomUUID().toString();
        while (acquire.call(key, value, HOLDING_LIMIT_MILLIS) != TAKEN) {
            Thread.sleep(SPIN_MILLIS);
        }
        return release.holding(key, value);
    }

    @Override
    public void close() {
        redis.close();
    }
}
