package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of one {@link Locks}. Every meter has the tag {@code provider}. Those of leases have the tag {@code lock}, the
 * category of the lock, which is never the name of a single lock among many, and the tag {@code kind}, the kind of the lease:
 * {@code exclusive}, {@code shared} for readers, or {@code permits} of a semaphore.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name<th>type<th>what
 * <tr><td>{@code holdfast.lock.acquire}<td>counter, tag {@code result}<td>calls that ended: {@code granted}, {@code busy},
 *     {@code unavailable} or {@code cancelled}
 * <tr><td>{@code holdfast.lock.wait}<td>timer<td>from the call to the grant
 * <tr><td>{@code holdfast.lock.busy}<td>timer<td>the wait of calls that ended because the lock was busy
 * <tr><td>{@code holdfast.lock.unavailable}<td>timer<td>the wait of calls that ended because the store did not answer
 * <tr><td>{@code holdfast.lock.held}<td>timer<td>from the grant to the release or the loss
 * <tr><td>{@code holdfast.lock.lost}<td>counter<td>leases that were lost
 * <tr><td>{@code holdfast.lock.unconfirmed}<td>gauge, only tag {@code provider}<td>leases whose renewal the store has not
 *     answered
 * <tr><td>{@code holdfast.lock.outage}<td>gauge, only tag {@code provider}<td>1 while a lease is unconfirmed, or the store did not
 *     answer the last acquire or check, as a health check sees it; else 0. Reading it checks the store, in the background, if the
 *     last sign is ten seconds old
 * <tr><td>{@code holdfast.lock.granting.store}<td>gauge, tag {@code store}, composite only<td>1 for the store that grants, which is
 *     {@code primary}, {@code fallback} or {@code none}, and 0 for the others; NaN until the composite has answered. Reading it before
 *     that asks the composite, in the background
 * <tr><td>{@code holdfast.lock.failover}<td>counter, tag {@code event}, composite only<td>the events of a failover
 * </table>
 *
 * <p>The category of a lock is by default the part of its name before the first colon ({@code invoice:42} is an {@code invoice}). A
 * name without a colon is its own category, or {@code other} if it contains a digit, like one with an id. After 100 categories, every
 * further one is {@code other}, so that names cannot flood the metrics.
 *
 * <p>The metrics are counted by a {@link LockListener}, in order and on a thread of Holdfast: no lock waits for them. Thread-safe.
 */
public final class LockMetrics implements MeterBinder {

    private static final int MOST_CATEGORIES = 100;

    private final String provider;
    private final LockCategories categories;
    private final StoreOutage outage;
    private final GrantingStore granting;
    private final List<LockMeters> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates metrics of these locks from now on.
     *
     * @param locks remain the caller's to close
     */
    public LockMetrics(Locks locks) {
        this(locks, LockCategories::beforeColon);
    }

    /**
     * Creates metrics of these locks from now on, with the categories that a function returns.
     *
     * @param locks remain the caller's to close
     * @param categoryOfName the category of the lock of this name; null or blank for {@code other}. It is called for each
     *     event, and must have few results
     */
    public LockMetrics(Locks locks, Function<String, @Nullable String> categoryOfName) {
        this(locks, categoryOfName, MOST_CATEGORIES);
    }

    /**
     * Creates metrics of these locks from now on, with the categories that a function returns and a limit for their number.
     *
     * @param locks remain the caller's to close
     * @param categoryOfName the category of the lock of this name; null or blank for {@code other}
     * @param mostCategories the maximum number of categories, not counting {@code other}; zero or more
     * @throws IllegalArgumentException if the limit is negative
     */
    public LockMetrics(Locks locks, Function<String, @Nullable String> categoryOfName, int mostCategories) {
        this(locks, categoryOfName, mostCategories, System::nanoTime);
    }

    LockMetrics(
            Locks locks, Function<String, @Nullable String> categoryOfName, int mostCategories, LongSupplier nanoTime) {
        this.provider = locks.provider();
        this.categories = new LockCategories(categoryOfName, mostCategories);
        this.outage = new StoreOutage(nanoTime, () -> locks.admin().ping());
        this.granting = new GrantingStore(() -> locks.admin().failoverStatus());
        locks.addListener(new Events());
    }

    /** Adds the meters to this registry. Does nothing if they have been added to it before. */
    @Override
    public void bindTo(MeterRegistry registry) {
        if (bound.stream().noneMatch(meters -> meters.isIn(registry))) {
            bound.add(new LockMeters(registry, provider, outage, granting));
        }
    }

    private void each(String name, LeaseKind kind, Consumer<LockMeters.OfLeases> event) {
        String category = categories.of(name);
        bound.forEach(meters -> event.accept(meters.of(category, kind)));
    }

    private final class Events implements LockListener {

        @Override
        public void acquired(String name, LeaseKind kind, long fencingToken, Duration waited) {
            outage.answered();
            each(name, kind, meters -> meters.granted(waited));
        }

        @Override
        public void released(String name, LeaseKind kind, long fencingToken, Duration held) {
            outage.ended(name, fencingToken);
            each(name, kind, meters -> meters.released(held));
        }

        @Override
        public void unconfirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
            outage.unconfirmed(name, fencingToken, remaining);
        }

        @Override
        public void confirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
            outage.ended(name, fencingToken);
        }

        @Override
        public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
            outage.ended(name, fencingToken);
            each(name, kind, meters -> meters.lost(held));
        }

        @Override
        public void acquireFailed(String name, LeaseKind kind, AcquireFailure reason, Duration waited) {
            switch (reason) {
                case UNAVAILABLE -> outage.unanswered();
                case BUSY -> outage.answered();
                case CANCELLED -> {} // says nothing about the store
            }
            each(name, kind, meters -> meters.failed(reason, waited));
        }

        @Override
        public void failover(FailoverEvent event) {
            granting.changed(event);
            bound.forEach(meters -> meters.failover(event.kind()));
        }
    }
}
