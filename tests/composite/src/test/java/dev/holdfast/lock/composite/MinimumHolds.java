package dev.holdfast.lock.composite;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Locks that are taken and given back at once, to be kept for a minimum hold; and the judge of whether they were. */
final class MinimumHolds {

    private static final Duration SHORTEST = Duration.ofMinutes(5);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What was given back while it was held. */
    private record Kept(String name, long granted, long until) {}

    private final Clock clock;
    private final Random random;
    private final List<Kept> all = new ArrayList<>();
    private volatile boolean over;

    /** @param clock by which minimum holds end */
    MinimumHolds(Clock clock, long seed) {
        this.clock = clock;
        this.random = new Random(seed);
    }

    /** Takes the lock whenever it is free, until {@link #end}. */
    @Nullable
    Void take(DistributedLock lock) {
        while (!over) {
            takeOnce(lock);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return null;
    }

    private void takeOnce(DistributedLock lock) {
        Duration minimum = SHORTEST.plusNanos(random.nextLong(LONGEST.toNanos()));
        long asked = clock.now().nanos();
        try {
            Lease lease = lock.withMinimumHold(minimum).tryAcquire().orElse(null);
            long granted = clock.now().nanos();
            if (lease != null) {
                boolean isPromised = lease.release();
                add(new Kept(lock.name(), granted, isPromised ? asked + minimum.toNanos() : granted));
            }
        } catch (LockUnavailableException e) {
            // no store grants right now
        }
    }

    private synchronized void add(Kept kept) {
        all.add(kept);
    }

    void end() {
        over = true;
    }

    synchronized int count() {
        return all.size();
    }

    /** What was granted though it was kept. */
    synchronized List<String> violations() {
        List<String> violations = new ArrayList<>();
        List<Kept> inOrder =
                all.stream().sorted(Comparator.comparingLong(Kept::granted)).toList();
        for (int later = 1; later < inOrder.size(); later++) {
            Kept next = inOrder.get(later);
            inOrder.subList(0, later).stream()
                    .filter(kept -> kept.name().equals(next.name()) && kept.until() > next.granted())
                    .forEach(kept -> violations.add(next + " while it is kept: " + kept));
        }
        return violations;
    }
}
