package dev.holdfast.lock.composite;

import dev.holdfast.lock.composite.protocol.Timing;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.Await;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The composites of one namespace in this process, and the clock that all of them go by. A test sets it ahead step by step, and
 * each step ends when all of them have done what is due: so a failover takes no time, and no authority lease lapses.
 */
public final class CompositeGroup {

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** After that many, what does not come of itself is given some time. */
    private static final int STEPS = 10;

    private static final Map<String, CompositeGroup> GROUPS = new ConcurrentHashMap<>();

    private final AtomicLong ahead = new AtomicLong();
    private final Set<CompositeLockStore> stores = ConcurrentHashMap.newKeySet();

    private CompositeGroup() {}

    /** The group of this namespace, one in this process. */
    public static CompositeGroup of(String namespace) {
        return GROUPS.computeIfAbsent(namespace, any -> new CompositeGroup());
    }

    Clock clock() {
        return () -> Clock.SYSTEM.now().plus(Duration.ofNanos(ahead.get()));
    }

    /** The same clock for stores that go by one which a test sets. */
    InstantSource time() {
        Instant start = Instant.now();
        long origin = clock().now().nanos();
        return () -> start.plusNanos(clock().now().nanos() - origin);
    }

    void join(CompositeLockStore store) {
        stores.add(store);
    }

    void leave(CompositeLockStore store) {
        stores.remove(store);
    }

    Set<CompositeLockStore> stores() {
        return Set.copyOf(stores);
    }

    /**
     * Goes on step by step in each group of these namespaces, until all of its stores know the fallback in power. Time must not pass
     * in the groups of other tests, which run beside this one.
     */
    static void stepToFallback(Set<String> namespaces, Timing timing) {
        for (String namespace : namespaces) {
            CompositeGroup group = of(namespace);
            group.stepUntil(
                    "the fallback grants",
                    timing,
                    () -> group.stores.stream().allMatch(each -> each.isIn(FailoverPhase.FALLBACK)));
        }
    }

    /**
     * Sets the clock ahead by one read interval, and waits until each store has read the authority state since,
     * and done whatever else was due.
     */
    public synchronized void step(Timing timing) {
        ahead.addAndGet(timing.readInterval().toNanos());
        stores.forEach(CompositeLockStore::wake);
        long start = System.nanoTime();
        while (!stores.stream().allMatch(CompositeLockStore::isIdle)) {
            LockSupport.parkNanos(PAUSE_NANOS);
            if (System.nanoTime() - start > Await.HANG.toNanos()) {
                throw new AssertionError("a member of the group hangs");
            }
        }
    }

    /** Goes on step by step until this is so. */
    public void stepUntil(String what, Timing timing, Callable<Boolean> condition) {
        Await.until(what, () -> {
            for (int step = 0; step < STEPS && !condition.call(); step++) {
                step(timing);
            }
            return condition.call();
        });
    }

    /** What holds depend on, by the clock of the processes that have them, which is never set. */
    GrantValidity tenure(GrantValidity its) {
        return new GrantValidity() {
            @Override
            public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
                Duration by = Duration.ofNanos(ahead.get());
                return its.end(name, id, deadline.plus(by)).plus(by.negated());
            }

            @Override
            public boolean isSettled(LockName name, AcquisitionId id) {
                return its.isSettled(name, id);
            }
        };
    }
}
