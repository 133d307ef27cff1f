package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.Optional;

/**
 * How long a caller waits.
 *
 * @param limit how long for a busy lock: zero asks once, empty waits without a limit
 * @param outageLimit how long for a store that does not answer at all
 */
public record WaitPolicy(Optional<Duration> limit, Duration outageLimit) {

    private static final Duration MAX_OUTAGE = Duration.ofSeconds(10);

    /** Asks until the first reply, for about as long as one call may take. */
    public static WaitPolicy once(Duration callTimeout) {
        return new WaitPolicy(Optional.of(Duration.ZERO), callTimeout);
    }

    /** Waits this long; beyond the longest duration it waits without a limit. */
    public static WaitPolicy upTo(Duration wait, Duration callTimeout) {
        if (wait.isZero()) {
            return once(callTimeout);
        }
        if (wait.compareTo(DurationLimits.MAX) > 0) {
            return unlimited();
        }
        return new WaitPolicy(Optional.of(wait), Durations.min(wait, MAX_OUTAGE));
    }

    /** Waits without a limit, as long as the store answers. */
    public static WaitPolicy unlimited() {
        return new WaitPolicy(Optional.empty(), MAX_OUTAGE);
    }

    boolean asksOnce() {
        return limit.isPresent() && limit.get().isZero();
    }
}
