package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.Endpoints;
import dev.holdfast.lock.bench.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** Holdfast on Redis with more threads, more processes, more names. */
final class Scaling {

    private static final int THREADS_PER_PROCESS = 8;

    private Scaling() {}

    /**
     * The scenario.
     *
     * @param pairs of acquire and release, at least, by all threads of a contention
     * @param threads the numbers of threads that contend for one lock
     * @param processes the numbers of processes that contend for one lock: each a {@link Locks} of this JVM, which is a process
     *     to the store
     * @param names the numbers of locks that are used once each
     */
    static SoloScenario scenario(int pairs, List<Integer> threads, List<Integer> processes, List<Integer> names) {
        return new SoloScenario("growth", "scaling with threads, processes and names, Redis", endpoints -> {
            List<Quantity> quantities = new ArrayList<>();
            for (int count : threads) {
                contend(quantities, count + " threads on one lock", endpoints, pairs, 1, count);
            }
            for (int count : processes) {
                String what = count + " processes of " + THREADS_PER_PROCESS + " threads on one lock";
                contend(quantities, what, endpoints, pairs, count, THREADS_PER_PROCESS);
            }
            for (int count : names) {
                useOnceEach(quantities, endpoints, count);
            }
            return quantities;
        });
    }

    private static void contend(
            List<Quantity> quantities, String what, Endpoints endpoints, int pairs, int processes, int threadsEach)
            throws Exception {
        List<Locks> locks = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                locks.add(open(endpoints));
            }
            int pairsEach = Math.max(1, pairs / (processes * threadsEach));
            Contention.of(locks, threadsEach, Math.max(1, pairsEach / 4), what); // warm-up
            Contention contention = Contention.of(locks, threadsEach, pairsEach, what);
            quantities.add(new Quantity(what, contention.pairs() * 1e9 / contention.nanos(), "pairs/s"));
            quantities.add(new Quantity(what + ", longest wait", contention.longestWaitNanos() / 1e6, "ms"));
        } finally {
            locks.forEach(Locks::close);
        }
    }

    private static void useOnceEach(List<Quantity> quantities, Endpoints endpoints, int names) throws Exception {
        try (Locks locks = open(endpoints);
                Jedis redis = RedisServer.client(endpoints.redisPort())) {
            locks.named("first").acquire().close(); // creates the keys of the namespace
            long keys = redis.dbSize();
            long start = System.nanoTime();
            for (int i = 0; i < names; i++) {
                locks.named("one of " + names + ": " + i).acquire().close();
            }
            double micros = (System.nanoTime() - start) / 1e3;
            quantities.add(new Quantity(names + " names, once each: a pair", micros / names, "µs"));
            quantities.add(
                    new Quantity(names + " names, once each: keys left", (double) (redis.dbSize() - keys), "keys"));
        }
    }

    private static Locks open(Endpoints endpoints) {
        return Locks.open(HoldfastPeer.redis(endpoints.redisPort(), "scaling"));
    }
}
