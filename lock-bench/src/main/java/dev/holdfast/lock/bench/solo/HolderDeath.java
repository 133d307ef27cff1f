package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.ChildJvm;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockInfo;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** The process that holds a lock dies while another one waits for the lock. */
final class HolderDeath {

    private static final String NAMESPACE = "death";
    private static final String LOCK = "inheritance";

    private HolderDeath() {}

    /** @param leases the lengths of the holder's lease */
    static SoloScenario scenario(List<Duration> leases) {
        return new SoloScenario("death", "from a holder's death to the next grant", endpoints -> {
            List<Quantity> quantities = new ArrayList<>();
            for (Duration lease : leases) {
                String length = ", a lease of " + DurationText.format(lease);
                Properties redis = HoldfastPeer.redis(endpoints.redisPort(), NAMESPACE);
                measure(quantities, "Redis" + length, redis, lease);
                measure(quantities, "PostgreSQL" + length, HoldfastPeer.database(endpoints, NAMESPACE), lease);
            }
            return quantities;
        });
    }

    private static void measure(List<Quantity> quantities, String where, Properties settings, Duration lease)
            throws Exception {
        List<String> options = HoldfastPeer.toJvmOptions(settings);
        try (LockAdmin admin = LockAdmin.of(settings);
                Locks locks = Locks.open(settings);
                ChildJvm holder = new ChildJvm(
                        HolderDeath.class, options, List.of(DurationText.format(lease)), Redirect.INHERIT)) {
            holder.line(); // it holds the lock
            CompletableFuture<Lease> next = locks.named(LOCK).withLease(lease).acquireAsync();
            CompletableFuture<Instant> granted = next.thenApply(held -> Instant.now());
            Contention.await(
                    "a waiter in the queue",
                    () -> granted.isDone() || !look(admin).waiters().isEmpty());
            if (granted.isDone()) {
                throw new IllegalStateException("the holder lost the lock before it died");
            }
            holder.kill();
            Instant dead = Instant.now();
            // The store runs on this machine and has the same clock. The dead holder renews no more.
            Instant expiry = look(admin).holder().orElseThrow().until();
            next.join().close();
            double wait = millis(dead, granted.join());
            double left = millis(dead, expiry);
            quantities.add(new Quantity(where + ": from the holder's death to the next grant", wait, "ms"));
            quantities.add(new Quantity(where + ": of which its lease still lasted", left, "ms"));
            quantities.add(new Quantity(where + ": from the end of the lease to the next grant", wait - left, "ms"));
        }
    }

    private static LockInfo look(LockAdmin admin) {
        try (Stream<LockInfo> locks = admin.locks(LOCK)) {
            return locks.findFirst().orElseThrow();
        }
    }

    private static double millis(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e6;
    }

    /**
     * The holder: prints a line when it holds the lock, and holds it until it dies.
     *
     * @param arguments the length of the lease
     */
    @SuppressWarnings("SystemOut") // a pipe to the process that started it
    public static void main(String[] arguments) throws Exception {
        ChildJvm.exitOnEndOfInput();
        try (Locks locks = Locks.open(HoldfastPeer.fromSystemProperties());
                Lease lease = locks.named(LOCK)
                        .withLease(DurationText.parse(arguments[0]))
                        .acquire()) {
            System.out.println(lease.fencingToken());
            new CountDownLatch(1).await();
        }
    }
}
