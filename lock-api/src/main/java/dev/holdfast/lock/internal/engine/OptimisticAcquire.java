package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * The assumption that the first waiter here is the next in the store's queue as well, so that it may ask in the very call that
 * releases the lock, without a notification. After each miss in a row it is left out twice as often. Changed under the lock of
 * the name only.
 */
final class OptimisticAcquire {

    private static final int MAX_PAUSE = 64;

    /** The request that asks so, until it is answered. */
    private @Nullable PendingAcquire chosen;

    private int pause;
    private int left;

    /** Chooses this request, unless another one is unanswered, or it has missed too often lately. */
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

    /** The request that is to be sent and is not yet; null if none. */
    @Nullable
    PendingAcquire toSend() {
        return chosen != null && chosen.isPaused() ? chosen : null;
    }

    void answered(PendingAcquire request, boolean granted) {
        if (request == chosen) {
            chosen = null;
            pause = granted ? 0 : Math.min(MAX_PAUSE, 2 * pause + 1);
            left = pause;
        }
    }
}
