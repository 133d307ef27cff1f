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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The health of the locks: {@code UP} if the store answers; {@code UNKNOWN} while it does not, or while a lease is unconfirmed; {@code
 * DOWN} once it has not answered for as long as the configured lease lasts, so that no lease of that length is held any more.
 */
public final class LocksHealth {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    private final LockAdmin admin;
    private final Duration lease;
    private final LongSupplier nanoTime;
    /** The time of the first check that the store did not answer, unless it has answered since. */
    private final AtomicReference<@Nullable Long> silentSince = new AtomicReference<>();

    private final Set<LeaseKey> unconfirmed = ConcurrentHashMap.newKeySet();

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
        this.lease = lease;
        this.nanoTime = nanoTime;
        locks.addListener(new UnconfirmedLeases());
    }

    /** Asks the store. Thread-safe. */
    public Result check() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("provider", admin.provider());
        try {
            admin.failoverStatus().ifPresent(status -> details.put("authority", authority(status)));
            admin.ping();
            silentSince.set(null);
        } catch (LockUnavailableException e) {
            long now = nanoTime.getAsLong();
            Long since = silentSince.updateAndGet(before -> before == null ? Long.valueOf(now) : before);
            boolean over = since != null && now - since >= lease.toNanos();
            details.put("error", String.valueOf(e.getMessage()));
            return new Result(over ? "DOWN" : "UNKNOWN", details);
        }
        int leases = unconfirmed.size();
        if (leases > 0) {
            details.put("unconfirmedLeases", leases);
        }
        return new Result(leases > 0 ? "UNKNOWN" : "UP", details);
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
            unconfirmed.add(new LeaseKey(name, fencingToken));
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
