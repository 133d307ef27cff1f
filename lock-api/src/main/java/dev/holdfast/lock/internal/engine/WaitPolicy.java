package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.Optional;

/**
 * How long a caller waits.
 *
 * @param limit how long for a busy lock: zero asks once, empty waits for ever
 * @param silence how long for a store that does not answer at all
 */
public record WaitPolicy(Optional<Duration> limit, Duration silence) {

    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    /** Asks until it is answered once, for about as long as one call may take. */
    public static WaitPolicy none(Duration callTimeout) {
        return new WaitPolicy(Optional.of(Duration.ZERO), callTimeout);
    }

    /** Waits this long; beyond all measure is for ever. */
    public static WaitPolicy of(Duration wait, Duration callTimeout) {
        if (wait.isZero()) {
            return none(callTimeout);
        }
        if (wait.compareTo(DurationText.LONGEST) > 0) {
            return unlimited();
        }
        return new WaitPolicy(Optional.of(wait), wait.compareTo(LONGEST_SILENCE) < 0 ? wait : LONGEST_SILENCE);
    }

    /** Waits for ever, as long as the store answers. */
    public static WaitPolicy unlimited() {
        return new WaitPolicy(Optional.empty(), LONGEST_SILENCE);
    }

    boolean asksOnce() {
        return limit.filter(Duration::isZero).isPresent();
    }
}
