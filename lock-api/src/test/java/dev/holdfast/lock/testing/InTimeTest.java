package dev.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Which attempts show something. */
class InTimeTest {

    private static final Duration NEVER_OVER = Duration.ofHours(1);
    private static final Duration OVER_AT_ONCE = Duration.ZERO;

    private final AtomicInteger attempts = new AtomicInteger();

    private int succeedAfter(int failures) {
        if (attempts.incrementAndGet() <= failures) {
            throw new AssertionError("attempt " + attempts);
        }
        return attempts.get();
    }

    @Test
    void attempt_thatFailsInTime_isTheOnlyOne() {
        assertThatThrownBy(() -> InTime.check(NEVER_OVER, () -> succeedAfter(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("attempt 1");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void attempt_thatFailsTooLate_isMadeAgain() throws Exception {
        assertThat(InTime.check(OVER_AT_ONCE, () -> succeedAfter(2))).isEqualTo(3);
    }

    @Test
    void attempts_thatAllFailTooLate_endWithTheThird() {
        assertThatThrownBy(() -> InTime.check(OVER_AT_ONCE, () -> succeedAfter(9)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("attempt 3");
    }
}
