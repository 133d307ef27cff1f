package dev.holdfast.lock.internal;

import org.jspecify.annotations.Nullable;

/**
 * How a release came out.
 *
 * @param answered whether the store answered
 * @param wasHeld whether the lock was held until this release: an attempt said so, or one went unanswered that may have been
 *     the one that ended it
 * @param why the last failure if it was not answered; null otherwise
 */
public record Ended(
        boolean answered, boolean wasHeld, @Nullable Throwable why) {

    /** It was held until now. */
    static final Ended HELD = new Ended(true, true, null);

    /** There was nothing to release. */
    static final Ended NOT_HELD = new Ended(true, false, null);
}
