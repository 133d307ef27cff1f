package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether the primary in power has failed. Evidence from the primary itself is enough. Silence is not, as it may be this
 * process that is cut off: silence counts if a majority of the members reports it, too.
 */
final class FailureDetector {

    // what this process sees
    private @Nullable DualClockInstant failingSince;
    private @Nullable DualClockInstant lastFailure;
    /** The instant at which the latest call without a reply was sent. */
    private @Nullable DualClockInstant lastFailed;
    /** The instant at which the latest call with a reply was sent. */
    private @Nullable DualClockInstant lastAnswered;

    /** The instant at which the latest call that another server answered was sent. */
    private @Nullable DualClockInstant lastElsewhere;

    private boolean isRefused;
    private String cause = "";

    // what the members report
    private @Nullable DualClockInstant majoritySince;
    private @Nullable DualClockInstant unanimousSince;

    // what the primary itself shows
    private @Nullable String evidence;
    private long accusedEpoch;

    /**
     * The primary has replied to a call: failures of calls that were sent before it say nothing about its present health. Failures
     * of calls that were sent after it still count, although this reply is taken in after them.
     */
    void answered(DualClockInstant sent) {
        lastAnswered = lastAnswered == null ? sent : lastAnswered.later(sent);
        if (failingSince == null || lastFailed == null || !isBefore(sent, lastFailed)) {
            reset();
        } else if (!isBefore(sent, failingSince)) {
            failingSince = lastFailed;
            lastElsewhere = lastElsewhere != null && isBefore(sent, lastElsewhere) ? lastElsewhere : null;
        }
    }

    private static boolean isBefore(DualClockInstant one, DualClockInstant other) {
        return other.nanos() - one.nanos() > 0;
    }

    /** Forgets what this process has seen. */
    void reset() {
        failingSince = null;
        lastFailure = null;
        lastFailed = null;
        lastElsewhere = null;
        isRefused = false;
    }

    /** A call got no reply, or a reply that this process cannot use. */
    void failed(DualClockInstant sent, DualClockInstant now, Throwable failure) {
        if (failed(sent, now, String.valueOf(failure.getMessage()))) {
            isRefused = failure instanceof LockConfigurationException
                    || failure.getCause() instanceof LockConfigurationException;
        }
    }

    /** Returns whether it counts: many calls may be under way, and one that was sent later may have been answered. */
    private boolean failed(DualClockInstant sent, DualClockInstant now, String because) {
        if (lastAnswered != null && isBefore(sent, lastAnswered)) {
            return false;
        }
        failingSince = failingSince == null ? sent : failingSince;
        lastFailure = now;
        lastFailed = lastFailed == null ? sent : lastFailed.later(sent);
        cause = because;
        isRefused = false;
        return true;
    }

    /** Another server replied in place of the primary: no timeout is needed to suspect it. */
    void foundElsewhere(DualClockInstant sent, DualClockInstant now, String because) {
        if (failed(sent, now, because)) {
            lastElsewhere = lastElsewhere == null ? sent : lastElsewhere.later(sent);
        }
    }

    /** The primary of this epoch has shown that it must not go on. */
    void accuse(long epoch, String because) {
        if (epoch > accusedEpoch) {
            accusedEpoch = epoch;
            evidence = because;
        }
    }

    /** The evidence against the primary of this epoch; null if there is none. */
    @Nullable
    String evidenceAgainst(long epoch) {
        return accusedEpoch == epoch ? evidence : null;
    }

    /** Takes in the members' reports, as the authority has them. */
    void reported(AuthorityReading reading, boolean isNewState, DualClockInstant now) {
        boolean isMajority = reading.suspecting() * 2 > reading.members();
        boolean isUnanimous = reading.suspecting() > 0 && reading.suspecting() >= reading.members();
        majoritySince = since(isNewState ? null : majoritySince, isMajority, now);
        unanimousSince = since(isNewState ? null : unanimousSince, isUnanimous, now);
    }

    private static @Nullable DualClockInstant since(
            @Nullable DualClockInstant before, boolean isSo, DualClockInstant now) {
        return !isSo ? null : before == null ? now : before;
    }

    /** Whether the primary fails, as far as this process can see, for long enough to suspect it. */
    boolean isSuspected(Duration timeout, DualClockInstant now) {
        return failingSince != null && (lastElsewhere != null || failingFor(now).compareTo(timeout) >= 0);
    }

    /**
     * Whether enough members agree, and this process has seen a further failure since it learned that. A process that the primary
     * refuses needs all members to agree, as the primary may serve all others.
     */
    boolean isConfirmed(Duration timeout, DualClockInstant now) {
        DualClockInstant agreed = isRefused ? unanimousSince : majoritySince;
        return agreed != null
                && isSuspected(timeout, now)
                && lastFailure != null
                && lastFailure.nanos() - agreed.nanos() > 0;
    }

    /** Whether the primary replies but does not admit this process, or cannot be used with its configuration. */
    boolean isRefused() {
        return isRefused;
    }

    boolean isFailing() {
        return failingSince != null;
    }

    /** Zero if the primary replies. */
    Duration failingFor(DualClockInstant now) {
        return failingSince == null ? Duration.ZERO : failingSince.until(now);
    }

    /** The cause of the last failure. */
    String cause() {
        return cause;
    }
}
