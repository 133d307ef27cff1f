package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The exact times of places in the queue, and which waiter is notified and told what. */
class MemoryQueueTest extends MemoryQueueFixture {

    @Test
    void place_lastsExactlyTheWaiterTtl() {
        queue(ONE, TWO);
        now = now.plusSeconds(1);
        queue(THREE);
        now = now.plus(QueueTimes.TICKET).minusSeconds(1).minus(MOMENT);
        release(ONE, NONE);
        assertThat(acquire(THREE)).as("the other waiter still has its place").isInstanceOf(Answer.Waiting.class);

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void place_ofAWaiterThatAsksAgain_isExtended() {
        queue(ONE, TWO, THREE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        queue(TWO, THREE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        release(ONE, NONE);

        assertThat(acquire(THREE)).isInstanceOf(Answer.Waiting.class);
        assertThat(acquire(TWO)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void retryAfter_dependsOnTheNumberOfWaitersBefore() {
        ask(new Step.Acquire(JOB, ONE, Duration.ofSeconds(2), false, 0, ""));
        now = now.plusSeconds(1);
        assertThat(acquire(TWO)).isEqualTo(new Answer.Waiting(Duration.ofSeconds(1)));
        assertThat(acquire(THREE)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        assertThat(acquire(FOUR)).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        assertThat(acquire(number(5))).isEqualTo(new Answer.Waiting(QueueTimes.RESERVATION));
        for (int other = 6; other < 20; other++) {
            assertThat(acquire(number(other))).isEqualTo(new Answer.Waiting(QueueTimes.REFRESH));
        }
    }

    @Test
    void deadWaiters_areDropped() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.plus(QueueTimes.TICKET).minus(MOMENT);
        assertThat(space.namesInUse()).isOne();

        now = now.plus(MOMENT);

        assertThat(space.namesInUse()).isZero();
    }

    @Test
    void placesFromTheFuture_areDropped() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.minusSeconds(1);

        assertThat(tryAcquire(THREE)).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void newFirstWaiterOfAFreeLock_isNotifiedOnce() throws Exception {
        List<Signal> heard = new ArrayList<>();
        AutoCloseable signals = store.signals(heard::add);
        queue(ONE, TWO, THREE, FOUR);
        assertThat(heard).containsExactly(Signal.ANY);
        release(ONE, NONE);
        assertThat(heard).containsExactly(Signal.ANY, Signal.to(JOB, TWO));
        queue(THREE);
        release(TWO, NONE);
        assertThat(heard).hasSize(3).endsWith(Signal.to(JOB, THREE));
        now = now.plus(QueueTimes.RESERVATION);
        tryAcquire(ONE);
        assertThat(heard).hasSize(4).endsWith(Signal.to(JOB, FOUR));
        acquire(FOUR);
        release(FOUR, NONE);
        assertThat(heard).hasSize(4);

        signals.close();
        queue(ONE, TWO);
        release(ONE, NONE);
        assertThat(heard).hasSize(4);
    }
}
