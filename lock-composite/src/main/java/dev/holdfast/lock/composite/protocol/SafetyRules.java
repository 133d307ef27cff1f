package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.time.DualClockInstant;

/**
 * The safety rules that each process keeps by itself. A test can break each of them on its own, to show that the breach is noticed.
 */
class SafetyRules {

    final MemberState state;

    SafetyRules(MemberState state) {
        this.state = state;
    }

    /**
     * Whether a grant counts: the authority state under which it was requested is still in power, as far as this process can know.
     *
     * @param routed the authority state under which it was requested
     */
    boolean counts(AuthorityState routed, DualClockInstant now) {
        AuthorityState current = state.authorityState();
        return current != null
                && state.lease.isValid(now)
                && current.phase() == routed.phase()
                && current.phase().grants()
                && current.primaryTerm().equals(routed.primaryTerm());
    }

    /**
     * Whether a renewal in this epoch prolongs a lease. Not if another epoch has come: the row that was renewed is not the row that
     * was asserted or copied since. And not while grants drain: the former primary may still grant to a process that does not know
     * of the drain, and there the lock is free when the lease ends that the former primary knows.
     */
    boolean prolongs(long epoch) {
        AuthorityState current = state.authorityState();
        return current != null && current.epoch() == epoch && current.phase() != FailoverPhase.DRAINING;
    }

    /**
     * The deadline of a lease after a store has confirmed it until then. Replies are processed in any order, and a store never
     * shortens a lease: the reply to a request that was executed earlier, for less, must not move the deadline back, or the lease
     * would be asserted for less than its holder was told.
     */
    DualClockInstant deadline(HeldLease held, DualClockInstant confirmed, DualClockInstant now) {
        return confirmed.leftAt(now).compareTo(held.deadline().leftAt(now)) < 0 ? held.deadline() : confirmed;
    }

    /** The instant until which the holder may count on a lease: never later than the lease would be asserted for. */
    DualClockInstant end(HeldLease held, DualClockInstant endOfEpoch) {
        return endOfEpoch.sooner(held.deadline());
    }

    /**
     * Whether a reply of this epoch ends a lease. Not once a later epoch has confirmed the lease: the knowledge of the earlier
     * epoch's store is out of date.
     */
    boolean endsLease(HeldLease held, long epoch) {
        return epoch >= held.epoch();
    }

    /** Whether the fallback may be activated: every authority lease of the previous epoch has lapsed. */
    boolean mayActivateFallback(DualClockInstant now) {
        return state.lease.knownFor(now).compareTo(state.timing.drain()) >= 0;
    }

    /** Whether this lease may be asserted, or confirmed, in this epoch: no store has done so yet, and it still counts. */
    boolean mayBeTransferred(HeldLease held, long into, DualClockInstant now) {
        return held.epoch() < into && state.isValid(held, now);
    }
}
