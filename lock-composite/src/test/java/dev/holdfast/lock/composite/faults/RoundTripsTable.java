package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Measures what a pair of acquire and release takes on Redis alone and on the composite while Redis grants, in turns, and prints the
 * medians. The server writes nothing to disk, which would hide the difference. How fast a machine is, is no verdict.
 */
final class RoundTripsTable {

    private static final int WARM_UP = 50;
    private static final int ROUNDS = 301;
    private static final int PAIRS = 50;

    private RoundTripsTable() {}

    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws Exception {
        try (Composites composites = new Composites();
                RedisServer redis = RedisServer.own("appendonly no");
                Locks alone = Locks.open(onRedisAlone(redis));
                Locks both = composites.open(onBoth(composites, redis))) {
            List<Double> ofAlone = new ArrayList<>();
            List<Double> ofBoth = new ArrayList<>();
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                ofAlone.add(micros(alone.named("job")));
                ofBoth.add(micros(both.named("job")));
                if (round < 0) {
                    ofAlone.clear();
                    ofBoth.clear();
                }
            }
            System.out.printf("| | median of %d × %,d pairs |%n| --- | --- |%n", ROUNDS, PAIRS);
            System.out.printf("| Redis alone | %.1f µs |%n", median(ofAlone));
            System.out.printf("| the composite | %.1f µs |%n", median(ofBoth));
            System.out.printf("| ratio | %.3f |%n", median(ofBoth) / median(ofAlone));
        }
    }

    private static Properties onBoth(Composites composites, RedisServer redis) {
        Properties locks = composites.configuration("both");
        locks.setProperty("lock.redis.uri", redis.uri());
        return locks;
    }

    private static Properties onRedisAlone(RedisServer redis) {
        Properties locks = new Properties();
        locks.setProperty("lock.provider", "redis");
        locks.setProperty("lock.namespace", "alone");
        locks.setProperty("lock.redis.uri", redis.uri());
        return locks;
    }

    private static double micros(DistributedLock lock) throws InterruptedException {
        long start = System.nanoTime();
        for (int pair = 0; pair < PAIRS; pair++) {
            lock.acquire(Composites.LONG).close();
        }
        return (System.nanoTime() - start) / 1_000.0 / PAIRS;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
    }
}
