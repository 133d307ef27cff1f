package dev.holdfast.lock.internal.state;

import org.jspecify.annotations.Nullable;

/**
 * Sends the acquire of the first waiter together with the release, without waiting for a notification, on the assumption that this
 * waiter is also the first in the store's queue. After each miss in a row it skips twice as many releases. Changed under the lock of
 * the name only.
 */
final class OptimisticAcquire {

    private static final int MAX_PAUSE = 64;

    /** The request that is sent with a release, until it is answered. */
    private @Nullable PendingAcquire chosen;

    private int pause;
    private int left;

    /** Chooses this request, unless another one is unanswered or recent attempts have missed. */
    void choose(PendingAcquire first) {
        boolean isUnanswered = chosen != null && !chosen.isOver();
        if (isUnanswered || !first.isPaused()) {
            return;
        }
        if (left == 0) {
            chosen = first;
        } else {
            left--;
        }
    }

    /** The chosen request if it has not been sent yet; else null. */
    @Nullable
    PendingAcquire toSend() {
        return chosen != null && chosen.isPaused() ? chosen : null;
    }

    void replied(PendingAcquire request, boolean granted) {
        if (request == chosen) {
            chosen = null;
            pause = granted ? 0 : Math.min(MAX_PAUSE, 2 * pause + 1);
            left = pause;
        }
    }
}
