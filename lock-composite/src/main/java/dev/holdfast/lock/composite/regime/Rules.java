package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;

/**
 * The rules on which safety rests and which are this process's to keep; each can be broken on its own, to see what finds it out.
 */
class Rules {

    final State state;

    Rules(State state) {
        this.state = state;
    }

    /** Whether a grant counts: the regime under which it was asked for is still in power, as far as this process may know. */
    boolean counts(Route route, Moment now) {
        Regime regime = state.lease.regime();
        if (regime == null || !state.lease.isValid(now)) {
            return false;
        }
        return route instanceof Route.ToPrimary to
                ? regime.mode() == Mode.PRIMARY && regime.reign().equals(to.reign())
                : regime.mode() == Mode.FALLBACK && regime.epoch() == ((Route.ToAuthority) route).epoch();
    }

    /**
     * Whether a renewal under this epoch makes a hold last longer. Not if another epoch has come, as what was renewed is not what
     * was asserted or copied since. And not while grants drain: the deposed primary may still grant to those who have not heard
     * of that, and a lock is free there when the lease ends that it knows of.
     */
    boolean prolongs(long epoch) {
        Regime regime = state.lease.regime();
        return regime != null && regime.epoch() == epoch && regime.mode() != Mode.DRAIN;
    }

    /** Whether the fallback may open: every regime lease of the epoch before has lapsed. */
    boolean mayOpen(Moment now) {
        return state.lease.seen().until(now).compareTo(state.timing.drain()) >= 0;
    }

    /** Whether this hold may be asserted, or confirmed, in this epoch: it has not been, and still counts. */
    boolean mayBeCarried(Held held, long into, Moment now) {
        return held.epoch() < into && state.isValid(held, now);
    }
}
