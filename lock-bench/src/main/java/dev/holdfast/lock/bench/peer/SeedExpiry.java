package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.RedisClient;

/**
 * Home-made locks as our users have them: the value of the key is the time, by the holder's clock, at which its holding ends.
 * SETNX takes a free lock, GETSET one whose time has run out.
 */
final class SeedExpiry implements Peer {

    private static final long HOLDING_LIMIT_MILLIS = 30_000;

    private final RedisClient redis;
    private final long sleepMillis;
    private final boolean releasesInTimeOnly;

    private SeedExpiry(Place place, long sleepMillis, boolean releasesInTimeOnly) {
        this.redis = Pool.jedis(place);
        this.sleepMillis = sleepMillis;
        this.releasesInTimeOnly = releasesInTimeOnly;
    }

    /** The one whose tables show how waiting is sleeping: whoever releases removes the key. */
    static Candidate sleeping() {
        return new Candidate(
                "seed-setnx-expiry",
                "Home-made: SETNX, sleeps 20 ms",
                Store.REDIS,
                false,
                true,
                Pool.STATED + " (Jedis); held for 30 s at most, by the clients' clocks; while busy sleeps 20 ms",
                place -> new SeedExpiry(place, 20, false));
    }

    /** The one that spins, and removes the key only if its own time has not run out. */
    static Candidate spinning() {
        return new Candidate(
                "seed-spin-1ms",
                "Home-made: SETNX, spins every 1 ms",
                Store.REDIS,
                false,
                true,
                Pool.STATED
                        + " (Jedis); held for 30 s at most, by the clients' clocks; while busy tries again every 1 ms",
                place -> new SeedExpiry(place, 1, true));
    }

    @Override
    public Held acquire(String name) throws InterruptedException {
        String key = "seed-expiry:" + sleepMillis + ":" + name;
        long end = end();
        while (!isTaken(key, end)) {
            Thread.sleep(sleepMillis);
            end = end();
        }
        long held = end;
        return () -> release(key, held);
    }

    private static long end() {
        return System.currentTimeMillis() + HOLDING_LIMIT_MILLIS;
    }

    @SuppressWarnings("deprecation") // the commands are theirs
    private boolean isTaken(String key, long end) {
        String mine = Long.toString(end);
        if (redis.setnx(key, mine) == 1) {
            return true;
        }
        String theirs = redis.get(key);
        return hasRunOut(theirs) && theirs.equals(redis.getSet(key, mine));
    }

    private static boolean hasRunOut(@Nullable String end) {
        return end != null && Long.parseLong(end) < System.currentTimeMillis();
    }

    private void release(String key, long end) {
        if (!releasesInTimeOnly || System.currentTimeMillis() < end) {
            redis.del(key);
        }
    }

    @Override
    public void close() {
        redis.close();
    }
}
