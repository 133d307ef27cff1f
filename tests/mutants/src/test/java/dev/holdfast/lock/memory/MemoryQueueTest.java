package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The exact times of places in the queue, and which waiter is notified and told what. */
@Tag("first-build")
class MemoryQueueTest extends MemoryQueueFixture {

    @Test
    void place_lastsExactlyTheWaiterTtl() {
        queue(ONE, TWO);
        now = now.plusSeconds(1);
        queue(THREE);
        now = now.plus(QueueTimes.WAITER_TTL).minusSeconds(1).minus(MOMENT);
        release(ONE, NONE);
        assertThat(acquire(THREE)).as("the other waiter still has its place").isInstanceOf(LockReply.Queued.class);

        now = now.plus(MOMENT);

        assertThat(acquire(THREE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void place_ofAWaiterThatAsksAgain_isExtended() {
        queue(ONE, TWO, THREE);
        now = now.plus(QueueTimes.WAITER_TTL).minus(MOMENT);
        queue(TWO, THREE);
        now = now.plus(QueueTimes.WAITER_TTL).minus(MOMENT);
        release(ONE, NONE);

        assertThat(acquire(THREE)).isInstanceOf(LockReply.Queued.class);
        assertThat(acquire(TWO)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void retryAfter_dependsOnTheNumberOfWaitersBefore() {
        ask(new LockCommand.Acquire(JOB, ONE, Duration.ofSeconds(2), false, 0, ""));
        now = now.plusSeconds(1);
        assertThat(acquire(TWO)).isEqualTo(new LockReply.Queued(Duration.ofSeconds(1)));
        assertThat(acquire(THREE)).isEqualTo(new LockReply.Queued(QueueTimes.CLAIM_WINDOW));
        assertThat(acquire(FOUR)).isEqualTo(new LockReply.Queued(QueueTimes.CLAIM_WINDOW));
        assertThat(acquire(number(5))).isEqualTo(new LockReply.Queued(QueueTimes.CLAIM_WINDOW));
        for (int other = 6; other < 20; other++) {
            assertThat(acquire(number(other))).isEqualTo(new LockReply.Queued(QueueTimes.REFRESH_INTERVAL));
        }
    }

    @Test
    void deadWaiters_areDropped() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.plus(QueueTimes.WAITER_TTL).minus(MOMENT);
        assertThat(space.namesInUse()).isOne();

        now = now.plus(MOMENT);

        assertThat(space.namesInUse()).isZero();
    }

    @Test
    void placesFromTheFuture_areDropped() {
        queue(ONE, TWO);
        release(ONE, NONE);
        now = now.minusSeconds(1);

        assertThat(tryAcquire(THREE)).isInstanceOf(LockReply.Granted.class);
    }

    @Test
    void newFirstWaiterOfAFreeLock_isNotifiedOnce() throws Exception {
        List<Notification> heard = new ArrayList<>();
        AutoCloseable signals = store.subscribe(heard::add);
        queue(ONE, TWO, THREE, FOUR);
        assertThat(heard).containsExactly(Notification.ANY);
        release(ONE, NONE);
        assertThat(heard).containsExactly(Notification.ANY, Notification.of(JOB, TWO));
        queue(THREE);
        release(TWO, NONE);
        assertThat(heard).hasSize(3).endsWith(Notification.of(JOB, THREE));
        now = now.plus(QueueTimes.CLAIM_WINDOW);
        tryAcquire(ONE);
        assertThat(heard).hasSize(4).endsWith(Notification.of(JOB, FOUR));
        acquire(FOUR);
        release(FOUR, NONE);
        assertThat(heard).hasSize(4);

        signals.close();
        queue(ONE, TWO);
        release(ONE, NONE);
        assertThat(heard).hasSize(4);
    }
}
