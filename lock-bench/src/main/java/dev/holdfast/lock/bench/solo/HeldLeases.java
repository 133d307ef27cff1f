package dev.holdfast.lock.bench.solo;

import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.ChildJvm;
import dev.holdfast.lock.bench.server.RedisServer;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import redis.clients.jedis.Jedis;

/**
 * One process holds many leases on Redis and does nothing else. The process is a separate JVM, so that all its resources are used
 * by the leases; it measures itself and prints its quantities as JSON.
 */
public final class HeldLeases {

    public static final String ID = "held-leases";
    public static final String PROCESSOR = "processor used to renew them, of one core";
    public static final String THREADS = "threads more than with one lease";
    public static final String HELD = "held at the end";
    public static final String NOT_RELEASED = "keys more than before, after the close";

    private static final Gson GSON = new Gson();
    private static final int ACQUIRES_AT_ONCE = 1_000;
    private static final int COLLECTIONS = 8;

    /** The renewals of each lease after which the JIT compiler has compiled the renewal. */
    private static final int PERIODS_UNTIL_COMPILED = 5;

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final List<Quantity> quantities = new ArrayList<>();
    private final Locks locks;
    private final Jedis redis;

    private HeldLeases(Locks locks, Jedis redis) {
        this.locks = locks;
        this.redis = redis;
    }

    /** @param lease the length of each; it is renewed after a third of that */
    static SoloScenario scenario(int leases, Duration lease) {
        String title = String.format(Locale.ROOT, "%,d leases held by one process, Redis", leases);
        return new SoloScenario(ID, title, endpoints -> {
            Properties settings = HoldfastPeer.redis(endpoints.redisPort(), ID);
            settings.setProperty("lock.lease", lease.toMillis() + "ms");
            List<String> arguments = List.of(
                    Integer.toString(endpoints.redisPort()), Integer.toString(leases), Long.toString(lease.toMillis()));
            List<String> options = HoldfastPeer.toJvmOptions(settings);
            try (ChildJvm holder = new ChildJvm(HeldLeases.class, options, arguments, Redirect.INHERIT)) {
                return List.of(GSON.fromJson(holder.line(), Quantity[].class));
            }
        });
    }

    /** @param arguments the port of Redis, the number of leases, the length of each in milliseconds */
    @SuppressWarnings("SystemOut") // a pipe to the process that started it
    public static void main(String[] arguments) throws Exception {
        ChildJvm.exitOnEndOfInput();
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[2]));
        try (Jedis redis = RedisServer.client(Integer.parseInt(arguments[0]));
                Locks locks = Locks.open(HoldfastPeer.fromSystemProperties());
                Lease first = locks.named("first").acquireAsync().join()) {
            awaitRenewal(first); // from now on everything that the first lease needs exists
            HeldLeases holder = new HeldLeases(locks, redis);
            holder.hold(Integer.parseInt(arguments[1]), lease.dividedBy(3));
            System.out.println(GSON.toJson(holder.quantities));
        }
    }

    private static void awaitRenewal(Lease lease) throws InterruptedException {
        Duration[] last = {lease.remaining()};
        Contention.await("a renewal", () -> {
            Duration now = lease.remaining();
            boolean isRenewed = now.compareTo(last[0]) > 0;
            last[0] = now;
            return isRenewed;
        });
    }

    private void hold(int count, Duration renewalPeriod) throws InterruptedException {
        long keysBefore = redis.dbSize();
        long heapBefore = heap();
        int threadsBefore = threads.getThreadCount();
        long startedBefore = threads.getTotalStartedThreadCount();
        long start = System.nanoTime();
        List<Lease> leases = acquire(count);
        add("time to acquire them, " + ACQUIRES_AT_ONCE + " at a time", (System.nanoTime() - start) / 1e9, "s");
        double started = (double) (threads.getTotalStartedThreadCount() - startedBefore);
        add("threads started to acquire them", started, "threads");
        add("heap per lease", (heap() - heapBefore) / (double) count, "bytes");
        Contention.pause(renewalPeriod);
        threads.resetPeakThreadCount();
        CpuShares atFirst = cpuShares(renewalPeriod.multipliedBy(2));
        Contention.pause(renewalPeriod.multipliedBy(PERIODS_UNTIL_COMPILED));
        CpuShares compiled = cpuShares(renewalPeriod.multipliedBy(2));
        add(PROCESSOR, compiled.own(), "%");
        add("processor used by Redis meanwhile, of one core", compiled.server(), "%");
        add("processor used at first, while the renewal is compiled", atFirst.own(), "%");
        add(THREADS, threads.getPeakThreadCount() - threadsBefore, "threads");
        add(HELD, (double) leases.stream().filter(Lease::isHeld).count(), "leases");
        Duration least =
                leases.stream().map(Lease::remaining).min(Duration::compareTo).orElseThrow();
        add("shortest remaining time of a lease at the end", least.toNanos() / 1e9, "s");
        long closing = System.nanoTime();
        locks.close();
        add("time of Locks.close(), which releases them all", (System.nanoTime() - closing) / 1e9, "s");
        // The first lease was held before, and is released with the others.
        add(NOT_RELEASED, (double) Math.max(0, redis.dbSize() - keysBefore), "keys");
    }

    private void add(String what, double value, String unit) {
        quantities.add(new Quantity(what, value, unit));
    }

    private List<Lease> acquire(int count) {
        List<Lease> leases = new ArrayList<>(count);
        while (leases.size() < count) {
            List<CompletableFuture<Lease>> pending = new ArrayList<>();
            for (int i = leases.size(); i < Math.min(count, leases.size() + ACQUIRES_AT_ONCE); i++) {
                pending.add(locks.named("lease-" + i).acquireAsync());
            }
            pending.forEach(lease -> leases.add(lease.join()));
        }
        return leases;
    }

    /** Processor use in percent of one core. */
    private record CpuShares(double own, double server) {}

    private CpuShares cpuShares(Duration time) throws InterruptedException {
        long ownBefore = system.getProcessCpuTime();
        double serverBefore = RedisServer.cpuSeconds(redis);
        long start = System.nanoTime();
        Contention.pause(time);
        double seconds = (System.nanoTime() - start) / 1e9;
        double own = (system.getProcessCpuTime() - ownBefore) / 1e9;
        double server = RedisServer.cpuSeconds(redis) - serverBefore;
        return new CpuShares(100 * own / seconds, 100 * server / seconds);
    }

    /**
     * The least heap use after several collections: the memory freed by the first is given back by another one, and each thread
     * that allocates anything has a buffer, all of which counts as used.
     */
    private long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            memory.gc();
            least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
