package dev.holdfast.lock.internal.state;

import org.jspecify.annotations.Nullable;

/**
 * How a release ended.
 *
 * @param answered whether the store answered
 * @param wasHeld whether the lock was held until this release: an attempt said so, or an unanswered one may have ended it
 * @param cause the last failure if it was not answered; null otherwise
 * @param isAbandoned whether a release that was not answered is not repeated any more
 */
public record ReleaseResult(
        boolean answered, boolean wasHeld, @Nullable Throwable cause, boolean isAbandoned) {

    /** The lock was held until now. */
    public static final ReleaseResult HELD = new ReleaseResult(true, true, null);

    public ReleaseResult(boolean answered, boolean wasHeld, @Nullable Throwable cause) {
        this(answered, wasHeld, cause, false);
    }

    /** Not answered so far, and repeated. */
    public static ReleaseResult unanswered(Throwable cause) {
        return new ReleaseResult(false, false, cause);
    }

    /** Not answered, and not repeated, for this reason. */
    public static ReleaseResult abandoned(Throwable cause) {
        return new ReleaseResult(false, false, cause, true);
    }
}
