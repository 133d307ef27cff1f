package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The state that the parts of a {@link Member} share. */
final class MemberState {

    final Timing timing;
    final Member.Listener listener;
    final AuthorityLease lease;
    final LeaseTable leases = new LeaseTable();
    final FailureDetector detector = new FailureDetector();
    final HealthMonitor health;

    /** Why the last read of the authority state told nothing, for people; null if it told the state. May be read by any thread. */
    @Nullable
    volatile String cutOffCause;

    /** Whether the authority state is to be read as soon as possible. */
    boolean mustRead = true;

    MemberState(Timing timing, Member.Listener listener) {
        this.timing = timing;
        this.listener = listener;
        this.lease = new AuthorityLease(timing.lease());
        this.health = new HealthMonitor(timing, lease, detector);
    }

    /** Whether the last read of the authority state told nothing. */
    boolean isCutOff() {
        return cutOffCause != null;
    }

    /** The latest authority state that is known; null before the first reply. May be called by any thread. */
    @Nullable
    AuthorityState authorityState() {
        return lease.authorityState();
    }

    /** Whether no transition is to be expected soon. */
    static boolean isSteady(AuthorityState current) {
        return current.phase() == FailoverPhase.PRIMARY
                || (current.phase() == FailoverPhase.FALLBACK && current.epoch() > 1);
    }

    boolean isIn(long epoch, FailoverPhase phase) {
        AuthorityLease.Snapshot known = lease.snapshot();
        return known != null && known.isIn(epoch, phase);
    }

    /**
     * Whether a lease counts: by its own deadline, and by the authority lease. A minimum hold after its release has no holder,
     * so it needs no authority lease, only its own deadline.
     */
    boolean isValid(HeldLease held, DualClockInstant now) {
        if (held.isKept()) {
            return held.lasts(now);
        }
        AuthorityLease.Snapshot known = lease.snapshot();
        DualClockInstant end = known == null ? null : known.endOf(held.epoch());
        return end != null && end.isAfter(now) && held.lasts(now);
    }

    /**
     * The lease after a store has confirmed it in this epoch. That counts only if the epoch is still the present one, and the lease
     * has not ended meanwhile: a lease that has ended never comes back.
     */
    HeldLease confirmed(HeldLease held, long epoch, DualClockInstant now) {
        AuthorityState current = authorityState();
        return current != null && current.epoch() == epoch && isValid(held, now) ? held.confirmedIn(epoch) : held;
    }

    /** Whether an assertion of the lease may be on its way to the authority. */
    boolean mayBeAsserted(HeldLease held) {
        AuthorityState current = authorityState();
        return current != null && current.phase() == FailoverPhase.DRAINING && held.assertedIn() == current.epoch();
    }

    /** Remembers the id for as long as an assertion that arrives late could make the lock busy: its release carries a tombstone. */
    void buryIfAsserted(HeldLease held, DualClockInstant now) {
        if (mayBeAsserted(held)) {
            leases.bury(held.key(), now, Durations.max(held.length(), timing.drain()));
        }
    }

    /** A store has replied that the lease is over. */
    void ended(HeldLease held, DualClockInstant now) {
        buryIfAsserted(held, now);
        leases.remove(held.key());
        listener.leasesShortened();
    }

    void tell(FailoverEvent.Kind kind, long epoch, String cause, Duration after, int transferred) {
        listener.failover(new FailoverEvent(kind, epoch, cause, after, transferred));
    }
}
