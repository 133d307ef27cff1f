package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import dev.holdfast.lock.bench.peer.Place;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A process that holds a lock dies, and another one waits for it.
 *
 * @param leases how long the lease is
 */
public record Death(List<Duration> leases) implements Observation {

    private static final String NAMESPACE = "death";
    private static final String NAME = "inheritance";

    /** A short lease and a longer one. */
    public static Death asPromised() {
        return new Death(List.of(Duration.ofSeconds(2), Duration.ofSeconds(10)));
    }

    @Override
    public String id() {
        return "death";
    }

    @Override
    public String title() {
        return "from a holder's death to the next grant";
    }

    @Override
    public List<Quantity> run(Place place) throws Exception {
        List<Quantity> quantities = new ArrayList<>();
        for (Duration lease : leases) {
            String length = ", a lease of " + DurationText.format(lease);
            inherit(quantities, "Redis" + length, Configuration.redis(place.redisPort(), NAMESPACE), lease);
            inherit(quantities, "PostgreSQL" + length, Configuration.postgreSql(place, NAMESPACE), lease);
        }
        return quantities;
    }

    private static void inherit(List<Quantity> quantities, String where, Properties settings, Duration lease)
            throws Exception {
        try (LockAdmin admin = LockAdmin.of(settings);
                Locks locks = Locks.open(settings);
                JavaProcess holder = holder(settings, lease)) {
            CompletableFuture<Lease> heir = locks.named(NAME).withLease(lease).acquireAsync();
            CompletableFuture<Instant> granted = heir.thenApply(held -> Instant.now());
            Awaiting.until(
                    "a place in the queue",
                    () -> granted.isDone() || !look(admin).waiters().isEmpty());
            if (granted.isDone()) {
                throw new IllegalStateException("the holder lost the lock before it died");
            }

            holder.kill();
            Instant dead = Instant.now();
            // The store is on this machine: its clock is ours. The holder is dead: nobody renews any more.
            Instant end = look(admin).holder().orElseThrow().until();

            heir.join().close();
            double wait = millis(dead, granted.join());
            double left = millis(dead, end);
            quantities.add(new Quantity(where + ": from the holder's death to the next grant", wait, "ms"));
            quantities.add(new Quantity(where + ": of which its lease still lasted", left, "ms"));
            quantities.add(new Quantity(where + ": from the end of the lease to the next grant", wait - left, "ms"));
        }
    }

    private static JavaProcess holder(Properties settings, Duration lease) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(NAME, DurationText.format(lease)));
        arguments.addAll(Configuration.toArguments(settings));
        JavaProcess holder = new JavaProcess(DeathProcess.class, arguments);
        holder.line(); // it has the lock
        return holder;
    }

    private static LockInfo look(LockAdmin admin) {
        try (Stream<LockInfo> locks = admin.locks(NAME)) {
            return locks.findFirst().orElseThrow();
        }
    }

    private static double millis(Instant from, Instant to) {
        return Duration.between(from, to).toNanos() / 1e6;
    }
}
