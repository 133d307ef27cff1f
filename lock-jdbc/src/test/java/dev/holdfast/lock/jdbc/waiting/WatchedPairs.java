package dev.holdfast.lock.jdbc.waiting;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * An uncontended pair beside a thousand held and a thousand waited-for names, alone and while somebody looks at all of them
 * once a second, and without a pause, in alternate rounds of one run. Prints the times and their ratio; a measurement, not a
 * test.
 */
final class WatchedPairs {

    private static final int NAMES = 1_000;
    private static final int ROUNDS = 5;
    private static final Duration ROUND = Duration.ofSeconds(4);

    private WatchedPairs() {}

    @SuppressWarnings("SystemOut") // what it is for
    public static void main(String[] arguments) throws Exception {
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        try (PostgresServer server = PostgresServer.own()) {
            Database database = Database.on(server);
            try (Locks holders = database.open();
                    Locks waiters = database.open();
                    Locks pairs = database.open();
                    LockAdmin admin = LockAdmin.of(database.settings())) {
                for (int name = 0; name < NAMES; name++) {
                    leases.add(holders.named("held " + name).acquireAsync(Duration.ofMinutes(1)));
                    leases.add(holders.named("waited for " + name).acquireAsync(Duration.ofMinutes(1)));
                }
                CompletableFuture.allOf(leases.toArray(CompletableFuture[]::new))
                        .get(1, TimeUnit.MINUTES);
                for (int name = 0; name < NAMES; name++) {
                    leases.add(waiters.named("waited for " + name).acquireAsync(Duration.ofHours(1)));
                }
                while (look(admin) < 2 * NAMES || database.places() < NAMES) {
                    Thread.onSpinWait();
                }
                DistributedLock lock = pairs.named("pair");
                p50(lock);
                List<Double> alone = new ArrayList<>();
                List<Double> eachSecond = new ArrayList<>();
                List<Double> without = new ArrayList<>();
                AtomicInteger looks = new AtomicInteger();
                for (int round = 0; round < ROUNDS; round++) {
                    alone.add(p50(lock));
                    eachSecond.add(watched(admin, lock, Duration.ofSeconds(1), new AtomicInteger()));
                    without.add(watched(admin, lock, Duration.ZERO, looks));
                }
                System.out.printf("median pair, µs (medians of %d rounds)%n", ROUNDS);
                System.out.printf("alone                %8.0f  %s%n", median(alone), alone);
                System.out.printf(
                        "watched each second  %8.0f  ratio %.2f%n",
                        median(eachSecond), median(eachSecond) / median(alone));
                System.out.printf(
                        "watched all the time %8.0f  ratio %.2f, %.1f ms for each look%n",
                        median(without),
                        median(without) / median(alone),
                        ROUNDS * ROUND.toMillis() / (double) looks.get());
            }
        }
    }

    private static double watched(LockAdmin admin, DistributedLock lock, Duration pause, AtomicInteger looks)
            throws Exception {
        CompletableFuture<Double> measured = new CompletableFuture<>();
        Thread watcher = new Thread(() -> {
            try {
                while (!measured.isDone()) {
                    look(admin);
                    looks.incrementAndGet();
                    measured.copy()
                            .completeOnTimeout(0.0, Math.max(1, pause.toMillis()), TimeUnit.MILLISECONDS)
                            .join();
                }
            } catch (RuntimeException e) {
                measured.completeExceptionally(e);
            }
        });
        watcher.start();
        measured.complete(p50(lock));
        watcher.join();
        return measured.get();
    }

    private static long look(LockAdmin admin) {
        try (Stream<LockInfo> locks = admin.locks("")) {
            return locks.count();
        }
    }

    private static double p50(DistributedLock lock) throws InterruptedException {
        List<Double> micros = new ArrayList<>();
        long end = System.nanoTime() + ROUND.toNanos();
        for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
            lock.acquire().close();
            micros.add((System.nanoTime() - start) / 1e3);
        }
        return median(micros);
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow();
    }
}
