package dev.holdfast.lock.spring.boot.internal;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.admin.LockAdmin;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The health of the locks: {@code UP} if the store answers; {@code UNKNOWN} while it does not, while no store of a composite grants, or
 * while a lease is unconfirmed; {@code DOWN} once no check has found a store that grants for as long as the configured lease lasts, so
 * that no lease of that length is held any more that the store does not confirm.
 */
public final class LocksHealth {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    private final LockAdmin admin;
    private final Duration lease;
    private final LongSupplier nanoTime;
    /** The time of the first check without a store that answers and grants, unless a check has found one since. */
    private final AtomicReference<@Nullable Long> silentSince = new AtomicReference<>();

    private final SharedQuestion<Optional<FailoverStatus>> failoverStatus;
    /** Whether the store is no composite, and has no failover status. */
    private volatile boolean isSingle;

    /** The end of each unconfirmed lease if the store stays silent: the event that follows may be dropped. */
    private final Map<LeaseKey, Long> unconfirmed = new ConcurrentHashMap<>();

    /** @param environment says how long a lease lasts */
    public LocksHealth(Locks locks, LockAdmin admin, Environment environment) {
        this(
                locks,
                admin,
                Binder.get(environment).bind("holdfast.lease", Duration.class).orElse(DEFAULT_LEASE),
                System::nanoTime);
    }

    LocksHealth(Locks locks, LockAdmin admin, Duration lease, LongSupplier nanoTime) {
        this.admin = admin;
        this.failoverStatus = new SharedQuestion<>(admin::failoverStatus);
        this.lease = lease;
        this.nanoTime = nanoTime;
        locks.addListener(new UnconfirmedLeases());
    }

    /** Asks the store, and takes as long as one call at most. Thread-safe. */
    public Result check() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("provider", admin.provider());
        CompletableFuture<Optional<FailoverStatus>> asked =
                isSingle ? CompletableFuture.completedFuture(Optional.empty()) : failoverStatus.ask();
        LockUnavailableException silence = null;
        try {
            admin.ping(); // beside the other question
        } catch (LockUnavailableException e) {
            silence = e;
        }
        try {
            Optional<FailoverStatus> status = answer(asked);
            isSingle = status.isEmpty();
            status.ifPresent(known -> details.put("authority", authority(known)));
        } catch (LockUnavailableException e) {
            silence = silence == null ? e : silence;
        }
        int leases = unconfirmedLeases();
        if (leases > 0) {
            details.put("unconfirmedLeases", leases);
        }
        if (silence != null) {
            details.put("error", String.valueOf(silence.getMessage()));
            return new Result(isSilentForALease() ? "DOWN" : "UNKNOWN", details);
        }
        silentSince.set(null);
        return new Result(leases > 0 ? "UNKNOWN" : "UP", details);
    }

    private int unconfirmedLeases() {
        long now = nanoTime.getAsLong();
        unconfirmed.values().removeIf(end -> end - now <= 0);
        return unconfirmed.size();
    }

    private static <T> T answer(CompletableFuture<T> asked) {
        try {
            return asked.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private boolean isSilentForALease() {
        long now = nanoTime.getAsLong();
        Long since = silentSince.updateAndGet(before -> before == null ? Long.valueOf(now) : before);
        return since != null && now - since >= lease.toNanos();
    }

    private static Map<String, Object> authority(FailoverStatus status) {
        Map<String, Object> authority = new LinkedHashMap<>();
        authority.put("provider", status.fallback());
        authority.put("grants", status.active());
        authority.put("epoch", status.epoch());
        authority.put("since", status.since().toString());
        authority.put("cause", status.cause());
        authority.put("members", status.members());
        authority.put("suspecting", status.suspecting());
        return authority;
    }

    /**
     * The health at one instant.
     *
     * @param status the code of one of Boot's statuses
     * @param details by their names
     */
    public record Result(String status, Map<String, Object> details) {}

    /** Tracks leases from an unanswered renewal to an answered one, or to the end of the lease. */
    private final class UnconfirmedLeases implements LockListener {

        @Override
        public void unconfirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
            unconfirmed.put(new LeaseKey(name, fencingToken), nanoTime.getAsLong() + remaining.toNanos());
        }

        @Override
        public void confirmed(String name, LeaseKind kind, long fencingToken, Duration remaining) {
            unconfirmed.remove(new LeaseKey(name, fencingToken));
        }

        @Override
        public void released(String name, LeaseKind kind, long fencingToken, Duration held) {
            unconfirmed.remove(new LeaseKey(name, fencingToken));
        }

        @Override
        public void lost(String name, LeaseKind kind, long fencingToken, Duration held, LockLostException loss) {
            unconfirmed.remove(new LeaseKey(name, fencingToken));
        }
    }

    private record LeaseKey(String name, long fencingToken) {}
}
