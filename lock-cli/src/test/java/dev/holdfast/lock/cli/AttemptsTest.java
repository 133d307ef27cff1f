package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is excused, and what never is. */
class AttemptsTest {

    /** Any standstill is longer. */
    private static final Duration NONE = Duration.ofNanos(-1);

    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger anew = new AtomicInteger();

    @Test
    void aFailureOnAMachineThatRanIsOne() {
        assertThatThrownBy(() -> attempts(Duration.ofMinutes(1), 9)).hasMessage("1");

        assertThat(anew).hasValue(0);
    }

    @Test
    void oneAfterAStandstillIsMadeOnceMore() throws Exception {
        attempts(NONE, 1);

        assertThat(made).hasValue(2);
        assertThat(anew).hasValue(1);
    }

    @Test
    void whatFailsEachTimeIsAFailureHoweverTheMachineIs() {
        assertThatThrownBy(() -> attempts(NONE, 9)).hasMessage("3");
    }

    @Test
    void whatIsShownIsNotShownAgain() throws Exception {
        attempts(NONE, 0);

        assertThat(made).hasValue(1);
    }

    /** Of which the first ones fail. */
    private void attempts(Duration bearable, int failing) throws Exception {
        Attempts.bearing(
                bearable,
                () -> {
                    if (made.incrementAndGet() <= failing) {
                        throw new AssertionError(made);
                    }
                },
                anew::incrementAndGet);
    }
}
