package dev.holdfast.lock.pulse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
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
            pulse.feel(() -> await(goOn));
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
            pulse.feel(() -> await(goOn));
            other.feel(() -> await(goOn));

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

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
