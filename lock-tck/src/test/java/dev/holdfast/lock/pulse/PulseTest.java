package dev.holdfast.lock.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A standstill excuses what fails beside it, and nothing else does. */
class PulseTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(200);

    @Test
    void whatFailsThoughAllGoesOnHasFailed() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(LONG, pulse -> {
                    attempts.incrementAndGet();
                    throw new AssertionError("so it is");
                }))
                .hasMessage("so it is");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void whatFailsBesideAStandstillBeginsAnew() throws Exception {
        AtomicInteger attempts = new AtomicInteger();

        Pulse.steadily(SHORT, pulse -> {
            CountDownLatch goOn = new CountDownLatch(1);
            pulse.feel(new Stopping(goOn));
            if (attempts.incrementAndGet() == 1) {
                awaitMore(pulse, SHORT);
                goOn.countDown();
                throw new AssertionError("too late");
            }
            goOn.countDown();
        });

        assertThat(attempts).hasValue(2);
    }

    @Test
    void whatAlwaysHoldsIsNeverExcused() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(Duration.ZERO, pulse -> {
                    attempts.incrementAndGet();
                    try {
                        Always.holds(
                                () -> assertThat(attempts).as("two holders").hasValue(0));
                    } catch (AssertionError e) {
                        throw new ExecutionException(e);
                    }
                }))
                .hasMessageContaining("two holders");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void aBrokenHeartExcusesNothing() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(SHORT, pulse -> {
                    attempts.incrementAndGet();
                    AtomicInteger beats = new AtomicInteger();
                    pulse.feel(() -> {
                        if (beats.incrementAndGet() > 1) {
                            throw new IllegalStateException("broken");
                        }
                    });
                    while (beats.get() < 2) {
                        Thread.onSpinWait();
                    }
                    awaitMore(pulse, pulse.longest().plus(SHORT));
                    throw new AssertionError("any");
                }))
                .hasMessage("any");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void whatIsNotedCounts() throws Exception {
        AtomicInteger attempts = new AtomicInteger();

        Pulse.steadily(LONG, pulse -> {
            pulse.note(LONG);
            assertThat(attempts.incrementAndGet()).isEqualTo(2);
        });

        assertThat(attempts).hasValue(2);
    }

    @Test
    void itEndsThoughSomethingStandsStillEachTime() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> Pulse.steadily(Duration.ZERO, pulse -> {
                    attempts.incrementAndGet();
                    throw new AssertionError("always");
                }))
                .hasMessage("always");
        assertThat(attempts).hasValue(5);
    }

    @Test
    void whatWasLeftIsNotFelt() {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Pulse pulse = new Pulse();
                Pulse other = new Pulse()) {
            pulse.feel(new Stopping(goOn));
            other.feel(new Stopping(goOn));

            other.leave();

            awaitMore(pulse, other.longest().plus(SHORT)); // both feel what becomes of this process
        } finally {
            goOn.countDown();
        }
    }

    private static void awaitMore(Pulse pulse, Duration standstill) {
        while (pulse.longest().compareTo(standstill) <= 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** It beats once, and then stands still. */
    private static final class Stopping implements Heart {

        private final CountDownLatch goOn;
        private boolean hasBeaten;

        Stopping(CountDownLatch goOn) {
            this.goOn = goOn;
        }

        @Override
        public void beat() {
            try {
                if (hasBeaten) {
                    goOn.await();
                }
                hasBeaten = true;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
