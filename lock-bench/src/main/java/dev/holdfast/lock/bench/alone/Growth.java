package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.peer.Place;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of Holdfast on Redis with more threads, more processes, more names.
 *
 * @param pairs how often a lock is acquired and released, at least, by all of a crowd
 * @param threads how many want the same lock
 * @param processes how many want the same lock, of {@value #THREADS_OF_EACH} threads each: as many {@link Locks} in this one,
 *     which are as many processes to the store
 * @param names how many locks are used, once each
 */
public record Growth(int pairs, List<Integer> threads, List<Integer> processes, List<Integer> names)
        implements Observation {

    private static final String NAMESPACE = "growth";
    private static final int THREADS_OF_EACH = 8;

    /** By steps that show a line. */
    public static Growth asPromised() {
        return new Growth(
                8_192,
                List.of(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024),
                List.of(1, 2, 4, 8),
                List.of(1_000, 10_000, 100_000));
    }

    @Override
    public String id() {
        return "growth";
    }

    @Override
    public String title() {
        return "growth with threads, processes and names, Redis";
    }

    @Override
    public List<Quantity> run(Place place) throws Exception {
        List<Quantity> quantities = new ArrayList<>();
        for (int count : threads) {
            add(quantities, count + " threads on one lock", place, 1, count);
        }
        for (int count : processes) {
            add(
                    quantities,
                    count + " processes of " + THREADS_OF_EACH + " threads on one lock",
                    place,
                    count,
                    THREADS_OF_EACH);
        }
        for (int count : names) {
            useEachOnce(quantities, place, count);
        }
        return quantities;
    }

    private void add(List<Quantity> quantities, String who, Place place, int processes, int threadsOfEach)
            throws Exception {
        List<Locks> locks = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                locks.add(open(place));
            }
            int pairsOfEach = Math.max(1, pairs / (processes * threadsOfEach));
            Crowd.of(locks, threadsOfEach, Math.max(1, pairsOfEach / 4), who); // to warm up
            Crowd crowd = Crowd.of(locks, threadsOfEach, pairsOfEach, who);
            quantities.add(new Quantity(who, crowd.pairsPerSecond(), "pairs/s"));
            quantities.add(new Quantity(who + ", longest wait", crowd.longestWaitMillis(), "ms"));
        } finally {
            locks.forEach(Locks::close);
        }
    }

    private static void useEachOnce(List<Quantity> quantities, Place place, int names) throws InterruptedException {
        try (Locks locks = open(place);
                RedisFacts redis = new RedisFacts(place.redisPort())) {
            locks.named("first").acquire().close(); // there are counters from now on
            long keys = redis.keys();
            long start = System.nanoTime();
            for (int i = 0; i < names; i++) {
                locks.named("one of " + names + ": " + i).acquire().close();
            }
            double micros = (System.nanoTime() - start) / 1e3;
            quantities.add(new Quantity(names + " names, once each: a pair", micros / names, "µs"));
            quantities.add(
                    new Quantity(names + " names, once each: keys left", (double) (redis.keys() - keys), "keys"));
        }
    }

    private static Locks open(Place place) {
        return Locks.open(Configuration.redis(place.redisPort(), NAMESPACE));
    }
}
