package dev.holdfast.lock.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * How a release came out.
 *
 * @param answered whether the store answered
 * @param wasHeld whether the lock was held until this release: an attempt said so, or one went unanswered that may have been
 *     the one that ended it
 * @param why the last failure if it was not answered; null otherwise
 */
public record ReleaseResult(
        boolean answered, boolean wasHeld, @Nullable Throwable why) {

    /** It was held until now. */
    static final ReleaseResult HELD = new ReleaseResult(true, true, null);

    /** There was nothing to release. */
    public static final ReleaseResult NOT_HELD = new ReleaseResult(true, false, null);
}
