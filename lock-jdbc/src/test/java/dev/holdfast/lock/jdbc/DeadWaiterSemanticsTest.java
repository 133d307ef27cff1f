package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Waiters that died, and when others are told to ask again. The same on each database. */
abstract class DeadWaiterSemanticsTest extends QueueSemanticsTest {

    /** Makes all locks look as if they had not been used for an hour, and leaves the waiters as they are. */
    abstract void age() throws SQLException;

    @Test
    void deadWaiters_whenLockIsFree_areSkipped() throws SQLException {
        heldAndWaitedForBy(first);
        pass(ALMOST_A_TICKET);
        refused(second);
        refused(third);
        pass(SECOND);
        ask(store(), release(LOCK, holder));
        refused(third);
        granted(store(), queue(LOCK, second));
        pass(QueueTimes.WAITER_TTL);
        ask(store(), release(LOCK, second));
        granted(store(), acquire(LOCK, id()));
        assertThat(rows("holdfast_waiter")).isZero();
    }

    @Test
    void deadWaiter_whenItAsksAgain_hasLostItsPosition() throws SQLException {
        heldAndWaitedForBy(first);
        pass(ALMOST_A_TICKET);
        refused(second);
        pass(SECOND);
        refused(first);
        ask(store(), release(LOCK, holder));
        refused(first);
        granted(store(), queue(LOCK, second));
    }

    @Test
    void deadWaiter_thatWithdrawsFromAFreeLock_doesNotBeginAnotherClaimWindow() throws SQLException {
        heldAndWaitedForBy(first);
        pass(ALMOST_A_TICKET);
        refused(second);
        pass(SECOND);
        ask(store(), release(LOCK, holder)); // the first waiter is dead
        pass(SECOND);
        ask(store(), release(LOCK, first));
        pass(QueueTimes.CLAIM_WINDOW.minus(SECOND));
        granted(store(), queue(LOCK, third));
    }

    @Test
    void deadWaiter_atFreeLock_delaysOthersByItsClaimWindowAtMost() throws SQLException {
        granted(store(), acquire(LOCK, holder, Duration.ofSeconds(5)));
        refused(first);
        refused(second);
        pass(Duration.ofSeconds(5).plus(QueueTimes.CLAIM_WINDOW));
        granted(store(), queue(LOCK, second));
    }

    @Test
    void queuedReply_withoutNotification_saysWhenToAskAgain() {
        granted(store(), acquire(LOCK, holder, Duration.ofSeconds(2)));
        assertThat(waiting(store(), queue(LOCK, first))).isBetween(Duration.ofMillis(1), Duration.ofSeconds(2));
        assertThat(waiting(store(), queue(LOCK, second))).isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, third))).isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, id()))).isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, id()))).isEqualTo(QueueTimes.REFRESH_INTERVAL);
        ask(store(), release(LOCK, holder));
        assertThat(waiting(store(), queue(LOCK, second))).isBetween(Duration.ofMillis(1), QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, third))).isBetween(Duration.ofMillis(1), QueueTimes.CLAIM_WINDOW);
        for (int more = 0; more < 5; more++) {
            assertThat(waiting(store(), queue(LOCK, id()))).isEqualTo(QueueTimes.REFRESH_INTERVAL);
        }
    }

    @Test
    void queuedReply_withDeadWaitersBefore_doesNotCountThem() throws SQLException {
        heldAndWaitedForBy(first, second);
        pass(ALMOST_A_TICKET);
        ask(store(), renew(LOCK, holder, SECOND));
        refused(third);
        pass(SECOND);
        AcquisitionId fourth = id();
        assertThat(waiting(store(), queue(LOCK, third))).as("the first").isEqualTo(QueueTimes.REFRESH_INTERVAL);
        assertThat(waiting(store(), queue(LOCK, fourth))).as("the second").isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, id()))).as("the third").isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, id()))).as("the fourth").isEqualTo(QueueTimes.CLAIM_WINDOW);
        assertThat(waiting(store(), queue(LOCK, id()))).as("the fifth").isEqualTo(QueueTimes.REFRESH_INTERVAL);
    }

    @Test
    void timesInTheFuture_afterClockWasSetBack_countAsOver() throws SQLException {
        heldAndWaitedForBy(first, second);
        pass(Duration.ofSeconds(3));
        ask(store(), release(LOCK, holder));
        pass(SECOND.negated()); // the clock was set back: the lock is free since the future
        refused(third);
        pass(SECOND);
        refused(third);
        granted(store(), queue(LOCK, second));
        ask(store(), release(LOCK, second));
        pass(Duration.ofHours(-1));
        granted(store(), acquire(LOCK, id()));
    }

    @Test
    void idleLock_isPrunedWithDeadWaitersButNotWithLivingOnes() throws SQLException {
        granted(store(), acquire("dead", holder));
        ask(store(), queue("dead", first));
        pass(Duration.ofMinutes(2));
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder));
        age();
        pruneUntil("the dead lock is gone", () -> rows("holdfast_lock WHERE name = " + literal("dead")) == 0);
        assertThat(rows("holdfast_waiter WHERE name = " + literal("dead"))).isZero();
        assertThat(rows("holdfast_lock")).isEqualTo(1);
        assertThat(rows("holdfast_waiter")).isEqualTo(2);
        refused(third);
        granted(store(), queue(LOCK, second));
    }

    @Test
    void deadWaiter_ofLockThatStaysHeld_isPruned() throws SQLException {
        granted(store(), acquire(LOCK, holder, Duration.ofHours(1)));
        refused(first);
        refused(second);
        pass(Duration.ofMinutes(2));
        refused(second);
        refused(third);
        pass(Duration.ofSeconds(20)); // the third is dead as well, but not for long
        refused(second);
        pruneUntil("the first is gone", () -> rows("holdfast_waiter") <= 2);
        assertThat(rows("holdfast_waiter")).isEqualTo(2);
        ask(store(), release(LOCK, holder));
        refused(third);
        granted(store(), queue(LOCK, second));
    }
}
