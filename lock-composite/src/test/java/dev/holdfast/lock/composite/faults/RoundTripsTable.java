package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Measures what a pair of acquire and release takes on Redis alone and on the composite while Redis grants, in turns, and prints the
 * medians. How fast a machine is, is no verdict.
 */
final class RoundTripsTable {

    private static final int ROUNDS = 21;
    private static final int PAIRS = 1_000;

    private RoundTripsTable() {}

    @SuppressWarnings("SystemOut") // a program
    public static void main(String[] arguments) throws Exception {
        try (Composites composites = new Composites();
                Locks alone = Locks.open(onRedisAlone(composites));
                Locks both = composites.open("composite")) {
            List<Double> ofAlone = new ArrayList<>();
            List<Double> ofBoth = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                ofAlone.add(micros(alone.named("job")));
                ofBoth.add(micros(both.named("job")));
            }
            System.out.printf("| | median of %d × %,d pairs |%n| --- | --- |%n", ROUNDS, PAIRS);
            System.out.printf("| Redis alone | %.1f µs |%n", median(ofAlone));
            System.out.printf("| the composite | %.1f µs |%n", median(ofBoth));
            System.out.printf("| ratio | %.3f |%n", median(ofBoth) / median(ofAlone));
        }
    }

    private static Properties onRedisAlone(Composites composites) {
        Properties locks = new Properties();
        locks.setProperty("lock.provider", "redis");
        locks.setProperty("lock.namespace", "alone");
        locks.setProperty("lock.redis.uri", composites.redis().uri());
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
