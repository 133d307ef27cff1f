package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * That who waits here is the next, and may ask in the very call that gives the lock back, though nobody was told so. After each miss in
 * a row it is left out for twice as long. Touched under the line's lock only.
 */
final class OptimisticAcquire {

    private static final int LONGEST = 64;

    /** Who asks so, until there is a reply. */
    private @Nullable PendingAcquire ticket;

    private int pause;
    private int left;

    /** Takes this one for the next, unless another's reply is awaited, or it is not worth a try. */
    void make(PendingAcquire first) {
        boolean isOpen = ticket != null && !ticket.isOver();
        if (!isOpen && first.isPaused() && isWorthIt()) {
            ticket = first;
        }
    }

    private boolean isWorthIt() {
        if (left == 0) {
            return true;
        }
        left--;
        return false;
    }

    /** Who is to ask and does not yet; null if nobody. */
    @Nullable
    PendingAcquire toAsk() {
        return ticket != null && ticket.isPaused() ? ticket : null;
    }

    /** Somebody's reply has come. */
    void replied(PendingAcquire whose, boolean granted) {
        if (whose == ticket) {
            ticket = null;
            pause = granted ? 0 : Math.min(LONGEST, 2 * pause + 1);
            left = pause;
        }
    }
}
