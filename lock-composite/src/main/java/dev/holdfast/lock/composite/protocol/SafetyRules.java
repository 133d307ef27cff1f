package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.regime.DualClockInstant;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;

/**
 * The rules on which safety rests and which each process keeps by itself. Each can be broken on its own, to see which test finds
 * it.
 */
class SafetyRules {

    final MemberState state;

    SafetyRules(MemberState state) {
        this.state = state;
    }

    /**
     * Whether a grant counts: the authority state under which it was requested is still in power, as far as this process may know.
     *
     * @param routed the authority state under which it was requested
     */
    boolean counts(Regime routed, DualClockInstant now) {
        Regime current = state.authorityState();
        return current != null
                && state.lease.isValid(now)
                && current.mode() == routed.mode()
                && (current.mode() == Mode.PRIMARY || current.mode() == Mode.FALLBACK)
                && current.reign().equals(routed.reign());
    }

    /**
     * Whether a renewal in this epoch prolongs a lease. Not if another epoch has come: the row that was renewed is not the row that
     * was asserted or copied since. And not while grants drain: the former primary may still grant to a process that does not know
     * of the drain, and there the lock is free when the lease ends that the former primary knows.
     */
    boolean prolongs(long epoch) {
        Regime current = state.authorityState();
        return current != null && current.epoch() == epoch && current.mode() != Mode.DRAIN;
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
