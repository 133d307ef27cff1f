package dev.holdfast.lock.spi;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Errors of a store's author name the component that is wrong. */
class LockReplyTest {

    private static final Duration TOO_LONG = DurationLimits.MAX.plusNanos(1);

    @Test
    void granted_forTooLong_namesTheComponent() {
        assertThatThrownBy(() -> new LockReply.Granted(1, TOO_LONG)).hasMessageContaining("remaining");
    }

    @Test
    void busy_withTooLongAPause_namesTheComponent() {
        assertThatThrownBy(() -> new LockReply.Busy(TOO_LONG)).hasMessageContaining("retryAfter");
    }

    @Test
    void queued_withTooLongAPause_namesTheComponent() {
        assertThatThrownBy(() -> new LockReply.Queued(TOO_LONG)).hasMessageContaining("retryAfter");
    }
}
