package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The exact times for which the memory store reserves a free lock for the first waiter. */
@Tag("first-build")
class MemoryClaimWindowTest extends MemoryQueueFixture {

    @Test
    void claimWindow_endsExactlyAtItsEnd() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.CLAIM_WINDOW).minus(MOMENT);
        assertThat(tryAcquire(FOUR)).isInstanceOf(LockReply.Busy.class);
        assertThat(acquire(THREE)).isEqualTo(new LockReply.Queued(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void claimWindow_afterAnExpiry_beginsAtTheEndOfTheLease() {
        ask(new LockCommand.Acquire(JOB, ONE, Duration.ofSeconds(3), false, 0, ""));
        queue(TWO, THREE);
        now = now.plusSeconds(3).plus(QueueTimes.CLAIM_WINDOW).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new LockReply.Queued(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void claimWindow_afterAMinimumHold_beginsAtItsEnd() {
        queue(ONE, TWO, THREE);
        release(ONE, Duration.ofSeconds(3));
        assertThat(acquire(TWO)).isEqualTo(new LockReply.Queued(Duration.ofSeconds(3)));
        now = now.plusSeconds(3).plus(QueueTimes.CLAIM_WINDOW).minus(MOMENT);
        assertThat(acquire(THREE)).isEqualTo(new LockReply.Queued(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void claimWindow_ofTheNextWaiter_beginsWhenTheFirstIsPassedOver() {
        queue(ONE, TWO, THREE, FOUR);
        release(ONE, NONE);
        now = now.plus(QueueTimes.CLAIM_WINDOW);
        assertThat(acquire(FOUR)).isEqualTo(new LockReply.Queued(QueueTimes.CLAIM_WINDOW));
        now = now.plus(QueueTimes.CLAIM_WINDOW).minus(MOMENT);
        assertThat(acquire(FOUR)).isEqualTo(new LockReply.Queued(MOMENT));

        now = now.plus(MOMENT);

        assertThat(acquire(FOUR)).isInstanceOf(LockReply.Granted.class);
        assertThat(acquire(TWO))
                .as("a dropped waiter is the last when it asks again")
                .isInstanceOf(LockReply.Queued.class);
    }

    @Test
    void lateWaiter_isGrantedIfNoOtherAsked() {
        queue(ONE, TWO, THREE);
        release(ONE, NONE);
        now = now.plus(QueueTimes.CLAIM_WINDOW.multipliedBy(3));

        assertThat(acquire(TWO)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void deadWaiters_delayTheNextByAClaimWindowEachAtMost() {
        Duration step = Duration.ofMillis(300);
        for (int dead = 1; dead <= 3; dead++) {
            for (Duration early = step; early.compareTo(QueueTimes.WAITER_TTL) < 0; early = early.plus(step)) {
                assertThat(waitBehind(dead, early))
                        .as("after a release %s after %s waiters died", early, dead)
                        .isPositive()
                        .isLessThanOrEqualTo(QueueTimes.CLAIM_WINDOW.multipliedBy(dead));
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
        LockReply reply = acquire(TWO);
        while (reply instanceof LockReply.Queued waiting) {
            Instant next = now.plus(waiting.retryAfter());
            if (now.isBefore(released) && !next.isBefore(released)) {
                now = released;
                release(ONE, NONE);
            }
            now = next;
            reply = acquire(TWO);
        }
        assertThat(reply).isInstanceOf(LockReply.Granted.class);
        release(TWO, NONE);
        return Duration.between(released, now);
    }
}
