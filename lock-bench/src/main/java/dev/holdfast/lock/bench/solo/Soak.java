package dev.holdfast.lock.bench.solo;

import com.google.gson.Gson;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.measurement.Percentiles;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.StartingLine;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.ChildJvm;
import dev.holdfast.lock.bench.server.RedisServer;
import dev.holdfast.lock.spi.DurationText;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.Jedis;

/**
 * One process acquires and releases locks on Redis for a long time, each time under the next of many names. Its needs must not
 * grow: they are measured after each part of the time, the first of which is a warm-up.
 */
public final class Soak {

    public static final String ID = "soak";
    public static final String NAMES = "pairs, each under the next name";

    private static final Gson GSON = new Gson();
    private static final int THREADS = 8;
    private static final int PARTS = 6;
    private static final int COLLECTIONS = 4;
    /** The latency of one in this many pairs of a thread is kept. */
    private static final int SAMPLED = 16;

    private static final double MICRO = 1e3;

    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final List<Quantity> quantities = new ArrayList<>();
    private final AtomicLong pairs = new AtomicLong();
    private final Locks locks;
    private final Jedis redis;
    private final int names;

    private Soak(Locks locks, Jedis redis, int names) {
        this.locks = locks;
        this.redis = redis;
        this.names = names;
    }

    /** @param names the number of names, before the first is used again */
    static SoloScenario scenario(Duration time, int names) {
        String title = String.format(
                Locale.ROOT, "%d threads for %s over %,d names, Redis", THREADS, DurationText.format(time), names);
        return new SoloScenario(ID, title, endpoints -> {
            List<String> arguments = List.of(
                    Integer.toString(endpoints.redisPort()), Long.toString(time.toMillis()), Integer.toString(names));
            List<String> options = HoldfastPeer.toJvmOptions(HoldfastPeer.redis(endpoints.redisPort(), ID));
            try (ChildJvm child = new ChildJvm(Soak.class, options, arguments, Redirect.INHERIT)) {
                return List.of(GSON.fromJson(child.line(), Quantity[].class));
            }
        });
    }

    /** @param arguments the port of Redis, the time in milliseconds, the number of names */
    @SuppressWarnings("SystemOut") // a pipe to the process that started it
    public static void main(String[] arguments) throws Exception {
        ChildJvm.exitOnEndOfInput();
        Duration part = Duration.ofMillis(Long.parseLong(arguments[1])).dividedBy(PARTS);
        try (Jedis redis = RedisServer.client(Integer.parseInt(arguments[0]));
                Locks locks = Locks.open(HoldfastPeer.fromSystemProperties())) {
            Soak soak = new Soak(locks, redis, Integer.parseInt(arguments[2]));
            for (int number = 1; number <= PARTS; number++) {
                soak.run(part, number);
            }
            soak.add(NAMES, (double) soak.pairs.get(), "pairs");
            System.out.println(GSON.toJson(soak.quantities));
        }
    }

    private void run(Duration part, int number) throws Exception {
        List<Long> latencies = Collections.synchronizedList(new ArrayList<>());
        StartingLine threads = new StartingLine(THREADS, thread -> latencies.addAll(pairs(part)));
        threads.start();
        threads.join();
        if (number == 1 || number == PARTS / 2 || number == PARTS) {
            String when = " after " + number + "/" + PARTS + " of the time";
            Percentiles percentiles = new Percentiles(latencies);
            add("latency of a pair, p50," + when, percentiles.at(0.5) / MICRO, "µs");
            add("latency of a pair, p99," + when, percentiles.at(0.99) / MICRO, "µs");
            add("heap" + when, heap() / 1e6, "MB");
            add("threads" + when, ManagementFactory.getThreadMXBean().getThreadCount(), "threads");
            add("connections" + when, (double) redis.clientList().lines().count(), "connections");
            add("keys in Redis" + when, (double) redis.dbSize(), "keys");
        }
    }

    private List<Long> pairs(Duration time) throws InterruptedException {
        List<Long> latencies = new ArrayList<>();
        long start = System.nanoTime();
        for (int count = 0; System.nanoTime() - start < time.toNanos(); count++) {
            String name = "name-" + pairs.getAndIncrement() % names;
            long began = System.nanoTime();
            try (Lease lease = locks.named(name).acquire()) {
                lease.ensureHeld();
            }
            if (count % SAMPLED == 0) {
                latencies.add(System.nanoTime() - began);
            }
        }
        return latencies;
    }

    private void add(String what, double value, String unit) {
        quantities.add(new Quantity(what, value, unit));
    }

    /** The heap use after enough collections that the memory freed by the first is given back, too. */
    private long heap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }
}
