package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The exact times for which the memory store reserves a free lock for the first waiter. */
class MemoryClaimWindowTest extends MemoryQueueFixture {

    @Test
    void claimWindow_endsExactlyAtItsEnd() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(tryAcquire(FOUR)).isInstanceOf(Answer.Busy.class);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void claimWindow_afterAnExpiry_beginsAtTheEndOfTheLease() {
        ask(new Step.Acquire(JOB, ONE, Duration.ofSeconds(3), false, 0, ""));
        queue(TWO, THREE);
        now = now.plusSeconds(3).plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void claimWindow_afterAMinimumHold_beginsAtItsEnd() {
        queue(ONE, TWO, THREE);
        release(ONE, Duration.ofSeconds(3));
        assertThat(acquire(TWO)).isEqualTo(new Answer.Waiting(Duration.ofSeconds(3)));
        now = now.plusSeconds(3).plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void claimWindow_ofTheNextWaiter_beginsWhenTheFirstIsPassedOver() {
        queue(ONE, TWO, THREE, FOUR);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION);
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        now = now.plus(QueueTimes.RESERVATION).minus(MOMENT);
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(FOUR)).isInstanceOf(Answer.Granted.class);
        assertThat(acquire(TWO))
                .as("a dropped waiter is the last when it asks again")
                .isInstanceOf(Answer.Waiting.class);
    }

    @Test
    void lateWaiter_isGrantedIfNoOtherAsked() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.RESERVATION.multipliedBy(3));

        assertThat(acquire(TWO)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void deadWaiters_delayTheNextByAClaimWindowEachAtMost() {
        Duration step = Duration.ofMillis(300);
        for (int dead = 1; dead <= 3; dead++) {
            for (Duration early = step; early.compareTo(QueueTimes.TICKET) < 0; early = early.plus(step)) {
                assertThat(waitBehind(dead, early))
                        .as("after a release %s after %s waiters died", early, dead)
                        .isPositive()
                        .isLessThanOrEqualTo(QueueTimes.RESERVATION.multipliedBy(dead));
            }
        }
    }

    /** The time from the release to the grant for a waiter that retries when told to, and receives no notification. */
    private Duration waitBehind(int dead, Duration early) {
        queue(ONE);
        for (int at = 0; at < dead; at++) {
            queue(number(10 + at));
        }
        Instant released = now.plus(early);
        Answer answer = acquire(TWO);
        while (answer instanceof Answer.Waiting waiting) {
            Instant next = now.plus(waiting.askAgain());
            if (now.isBefore(released) && !next.isBefore(released)) {
                now = released;
                release(ONE, NONE);
            }
            now = next;
            answer = acquire(TWO);
        }
        assertThat(answer).isInstanceOf(Answer.Granted.class);
        release(TWO, NONE);
        return Duration.between(released, now);
    }
}
