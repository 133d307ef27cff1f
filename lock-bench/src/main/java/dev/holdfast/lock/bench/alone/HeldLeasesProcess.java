package dev.holdfast.lock.bench.alone;

import com.sun.management.OperatingSystemMXBean;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;

/** The process that holds them, and watches itself meanwhile. Says one quantity per line. */
final class HeldLeasesProcess {

    static final String SEPARATOR = "\t";
    static final String END = "end";

    private static final int AT_A_TIME = 1_000;
    private static final int COLLECTIONS = 4;
    /** After so many renewals of each lease what renews them is compiled, as it is in a process that holds leases for long. */
    private static final int PERIODS_UNTIL_COMPILED = 5;

    private static final double NANOS = 1e9;
    private static final double PERCENT = 100;

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final Locks locks;
    private final RedisFacts redis;

    private HeldLeasesProcess(Locks locks, RedisFacts redis) {
        this.locks = locks;
        this.redis = redis;
    }

    /** @param arguments the port of Redis, how many leases, the length of each in milliseconds */
    public static void main(String[] arguments) throws Exception {
        JavaProcess.endWithInput();
        int port = Integer.parseInt(arguments[0]);
        Duration length = Duration.ofMillis(Long.parseLong(arguments[2]));
        Properties settings = Configuration.redis(port, "held-leases");
        settings.setProperty("lock.lease", length.toMillis() + "ms");
        try (RedisFacts redis = new RedisFacts(port);
                Locks locks = Locks.open(settings)) {
            try (Lease first = locks.named("first").acquireAsync().join()) {
                awaitRenewal(first);
                new HeldLeasesProcess(locks, redis).hold(Integer.parseInt(arguments[1]), length.dividedBy(3));
            }
        }
        say(END);
    }

    /** Whatever is made for the first lease, or its first renewal, is there from then on. */
    private static void awaitRenewal(Lease lease) throws InterruptedException {
        Duration[] least = {lease.remaining()};
        Awaiting.until("a renewal", () -> {
            Duration now = lease.remaining();
            boolean isRenewed = now.compareTo(least[0]) > 0;
            least[0] = now;
            return isRenewed;
        });
    }

    private void hold(int count, Duration renewalPeriod) throws InterruptedException {
        long keysBefore = redis.keys();
        long heapBefore = heap();
        int threadsBefore = threads.getThreadCount();
        long startedBefore = threads.getTotalStartedThreadCount();
        List<Lease> leases = new ArrayList<>(count);
        long start = System.nanoTime();
        acquire(count, leases);
        say("time to acquire them, " + AT_A_TIME + " at a time", (System.nanoTime() - start) / NANOS, "s");
        double started = (double) (threads.getTotalStartedThreadCount() - startedBefore);
        say("threads started to acquire them", started, "threads");
        say("heap per lease", (heap() - heapBefore) / (double) count, "bytes");

        Awaiting.pass(renewalPeriod);
        threads.resetPeakThreadCount();
        Used atFirst = used(renewalPeriod.multipliedBy(2));
        Awaiting.pass(renewalPeriod.multipliedBy(PERIODS_UNTIL_COMPILED));
        Used used = used(renewalPeriod.multipliedBy(2));
        say(HeldLeases.PROCESSOR, used.own(), "%");
        say("processor used by Redis meanwhile, of one core", used.server(), "%");
        say("processor used at first, while what renews them is compiled", atFirst.own(), "%");
        say(HeldLeases.THREADS, threads.getPeakThreadCount() - threadsBefore, "threads");
        say(HeldLeases.HELD, (double) leases.stream().filter(Lease::isHeld).count(), "leases");
        Duration least =
                leases.stream().map(Lease::remaining).min(Duration::compareTo).orElseThrow();
        say("the least that was left of one at the end", least.toNanos() / NANOS, "s");
        leases.parallelStream().forEach(Lease::close);
        say("keys more than before, once all are given back", (double) (redis.keys() - keysBefore), "keys");
    }

    /** What this process and Redis use of a processor each, in percent of one. */
    private record Used(double own, double server) {}

    private Used used(Duration time) throws InterruptedException {
        long ownBefore = system.getProcessCpuTime();
        double serverBefore = redis.processorSeconds();
        long since = System.nanoTime();
        Awaiting.pass(time);
        double watched = (System.nanoTime() - since) / NANOS;
        double own = (system.getProcessCpuTime() - ownBefore) / NANOS;
        double server = redis.processorSeconds() - serverBefore;
        return new Used(PERCENT * own / watched, PERCENT * server / watched);
    }

    private void acquire(int count, List<Lease> leases) {
        while (leases.size() < count) {
            List<CompletableFuture<Lease>> asked = new ArrayList<>();
            for (int i = leases.size(); i < Math.min(count, leases.size() + AT_A_TIME); i++) {
                asked.add(locks.named("lease-" + i).acquireAsync());
            }
            asked.forEach(lease -> leases.add(lease.join()));
        }
    }

    /** What is used once the garbage is gone, and what a first collection has let go of is, too. */
    private long heap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }

    private static void say(String what, double value, String unit) {
        say(what + SEPARATOR + value + SEPARATOR + unit);
    }

    @SuppressWarnings("SystemOut") // a pipe to who started it
    private static void say(String line) {
        System.out.println(line);
    }
}
