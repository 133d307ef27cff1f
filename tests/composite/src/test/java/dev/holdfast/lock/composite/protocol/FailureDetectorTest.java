package dev.holdfast.lock.composite.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a process concludes from many calls at a time, some of which fail. */
class FailureDetectorTest {

    private static final Duration SUSPICION = Duration.ofSeconds(2);

    private final FailureDetector detector = new FailureDetector();

    @Test
    void failure_ofACallSentAfterTheLastAnswered_countsFromWhenItWasSent() {
        detector.answered(second(1));
        detector.failed(second(1), second(3), new RuntimeException("no reply"));

        assertThat(detector.isSuspected(SUSPICION, second(2))).isFalse();
        assertThat(detector.isSuspected(SUSPICION, second(3))).isTrue();
    }

    @Test
    void failure_ofACallSentBeforeAnAnsweredOne_saysNothing() {
        detector.answered(second(2));
        detector.failed(second(0), second(3), new LockConfigurationException("wrong password", null));
        detector.foundElsewhere(second(1), second(3), "its data are others");

        assertThat(detector.isFailing()).isFalse();
        assertThat(detector.isRefused()).isFalse();
        assertThat(detector.isSuspected(SUSPICION, second(9))).isFalse();
    }

    @Test
    void otherServer_whenALaterCallWasAnswered_isForgottenThoughAnEvenLaterCallFailed() {
        detector.foundElsewhere(second(1), second(6), "its data are others");
        detector.failed(second(5), second(6), new RuntimeException("no reply"));
        detector.answered(second(3));

        assertThat(detector.isFailing()).isTrue();
        assertThat(detector.isSuspected(SUSPICION, second(6))).isFalse();
    }

    @Test
    void failure_whenAnEarlierCallIsAnsweredAfterwards_countsByTheCallsSentLater() {
        detector.answered(second(5));
        detector.answered(second(1)); // sent first, answered last
        detector.failed(second(4), second(7), new RuntimeException("no reply"));

        assertThat(detector.isFailing()).isFalse();
        detector.failed(second(6), second(8), new RuntimeException("no reply"));
        assertThat(detector.isFailing()).isTrue();
    }

    @Test
    void failure_whenAnEarlierCallIsAnsweredLate_staysAFailure() {
        detector.failed(second(2), second(3), new RuntimeException("no reply"));
        detector.answered(second(1)); // sent first, taken last

        assertThat(detector.isSuspected(SUSPICION, second(4))).isTrue();
    }

    @Test
    void failures_whenACallBetweenThemIsAnsweredLate_countFromTheLaterOne() {
        detector.failed(second(2), second(3), new RuntimeException("no reply"));
        detector.failed(second(6), second(7), new RuntimeException("no reply"));
        detector.answered(second(4));

        assertThat(detector.isSuspected(SUSPICION, second(7))).isFalse();
        assertThat(detector.isSuspected(SUSPICION, second(8))).isTrue();
        detector.answered(second(6));
        assertThat(detector.isFailing()).isFalse();
    }

    private static DualClockInstant second(int number) {
        long nanos = Duration.ofSeconds(number).toNanos();
        return new DualClockInstant(nanos, nanos);
    }
}
