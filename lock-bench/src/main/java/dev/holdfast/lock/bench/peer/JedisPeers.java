package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.server.Endpoints;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** Locks made of a few Redis commands: the pattern of Redis' documentation, and home-made locks as found in applications. */
final class JedisPeers {

    private static final long EXPIRY_MILLIS = 30_000;
    private static final long SETNX_SLEEP_MILLIS = 20;
    private static final String SCRIPT_EXPIRY_MILLIS = "5000";
    private static final long SCRIPT_SPIN_MILLIS = 5;

    /** Removes the key if it has this value; returns the number of keys removed. */
    private static final String COMPARE_AND_DELETE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
                return redis.call('DEL', KEYS[1])
            end
            return 0
            """;

    private static final long ACQUIRED = -1;
    /** Acquires the lock and returns -1, or returns the milliseconds until it expires. */
    private static final String SET_OR_REMAINING = """
            if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
                return -1
            end
            return redis.call('PTTL', KEYS[1])
            """;

    private JedisPeers() {}

    /** The pattern of Redis' documentation: one command acquires the lock, a compare-and-delete releases it. */
    static Peer setNx(Endpoints endpoints) {
        RedisClient redis = ConnectionPools.jedis(endpoints);
        String release = redis.scriptLoad(COMPARE_AND_DELETE);
        String process = UUID.randomUUID() + ":";
        AtomicLong acquisitions = new AtomicLong();
        return new Peer(
                name -> {
                    String key = "jedis-setnx:" + name;
                    String value = process + acquisitions.incrementAndGet();
                    SetParams ifAbsent = SetParams.setParams().nx().px(EXPIRY_MILLIS);
                    while (redis.set(key, value, ifAbsent) == null) {
                        Thread.sleep(SETNX_SLEEP_MILLIS);
                    }
                    return () -> compareAndDelete(redis, release, key, value);
                },
                redis::close);
    }

    /** SETNX and PEXPIRE in one script, and no notification of waiters. */
    static Peer script(Endpoints endpoints) {
        RedisClient redis = ConnectionPools.jedis(endpoints);
        String acquire = redis.scriptLoad(SET_OR_REMAINING);
        String release = redis.scriptLoad(COMPARE_AND_DELETE);
        return new Peer(
                name -> {
                    String key = "seed-script:" + name;
                    String value = UUID.randomUUID().toString();
                    while (evaluate(redis, acquire, key, value, SCRIPT_EXPIRY_MILLIS) != ACQUIRED) {
                        Thread.sleep(SCRIPT_SPIN_MILLIS);
                    }
                    return () -> compareAndDelete(redis, release, key, value);
                },
                redis::close);
    }

    /**
     * The value of the key is the time, by the holder's clock, at which the lock expires. SETNX takes a free lock, GETSET an
     * expired one.
     *
     * @param releasesUnexpiredOnly whether a release after the expiry leaves the key alone
     */
    static Peer setNxWithExpiry(Endpoints endpoints, long sleepMillis, boolean releasesUnexpiredOnly) {
        RedisClient redis = ConnectionPools.jedis(endpoints);
        return new Peer(
                name -> {
                    String key = "seed-expiry:" + sleepMillis + ":" + name;
                    long expiry = System.currentTimeMillis() + EXPIRY_MILLIS;
                    while (!isAcquired(redis, key, expiry)) {
                        Thread.sleep(sleepMillis);
                        expiry = System.currentTimeMillis() + EXPIRY_MILLIS;
                    }
                    long held = expiry;
                    return () -> {
                        if (!releasesUnexpiredOnly || System.currentTimeMillis() < held) {
                            redis.del(key);
                        }
                    };
                },
                redis::close);
    }

    @SuppressWarnings("deprecation") // the home-made locks use these commands
    private static boolean isAcquired(RedisClient redis, String key, long expiry) {
        String value = Long.toString(expiry);
        if (redis.setnx(key, value) == 1) {
            return true;
        }
        String other = redis.get(key);
        return other != null
                && Long.parseLong(other) < System.currentTimeMillis()
                && other.equals(redis.getSet(key, value));
    }

    private static void compareAndDelete(RedisClient redis, String script, String key, String value) {
        if (evaluate(redis, script, key, value) == 0) {
            throw new IllegalStateException("lost before its release: " + key);
        }
    }

    private static long evaluate(RedisClient redis, String script, String... keyAndArguments) {
        return (Long) redis.evalsha(script, 1, keyAndArguments);
    }
}
