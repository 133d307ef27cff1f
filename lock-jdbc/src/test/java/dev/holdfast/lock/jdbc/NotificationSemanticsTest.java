package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which waiter is notified. The same on each database. */
abstract class NotificationSemanticsTest extends DeadWaiterSemanticsTest {

    private static final int LONGEST = LockName.MAX_CODE_POINTS;

    final ReceivedNotifications heard = new ReceivedNotifications();

    @Test
    void subscriber_firstReceivesANotificationToEveryWaiter() {
        listen();
        assertThat(heard.all()).containsExactly(Notification.ANY);
    }

    @Test
    void release_notifiesTheFirstWaiter() {
        listen();
        heldAndWaitedForBy(first, second);
        assertThat(heard.count()).as("signals before the release").isEqualTo(1);
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, first);
        granted(store(), queue(LOCK, first));
        ask(store(), release(LOCK, first));
        heard.awaitTurn(LOCK, second);
        assertThat(heard.count()).isEqualTo(3);
    }

    @Test
    void release_withMinimumHold_notifiesTheFirstWaiter() {
        listen();
        heldAndWaitedForBy(first);
        ask(store(), release(LOCK, holder, Duration.ofSeconds(10), Duration.ZERO));
        heard.awaitTurn(LOCK, first);
    }

    @Test
    void nextWaiter_whenFirstLeavesAFreeLock_isNotified() {
        listen();
        heldAndWaitedForBy(first, second, third);
        ask(store(), release(LOCK, second)); // which was not the first
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, first);
        ask(store(), release(LOCK, first));
        heard.awaitTurn(LOCK, third);
        assertThat(heard.count()).isEqualTo(3);
    }

    @Test
    void nextWaiter_whenFirstLeavesAHeldLock_isNotified() {
        listen();
        heldAndWaitedForBy(first, second, third);
        ask(store(), release(LOCK, second)); // not the first
        ask(store(), release(LOCK, first));
        heard.awaitTurn(LOCK, third);
        assertThat(heard.count()).isEqualTo(2);
        ask(store(), release(LOCK, third)); // the last
        ask(store(), release(LOCK, holder));
        granted(store(), acquire(LOCK, id()));
        assertThat(heard.count()).isEqualTo(2);
    }

    @Test
    void nextWaiter_whenFirstLeavesDuringAMinimumHold_isNotified() {
        listen();
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder, Duration.ofSeconds(10), Duration.ZERO));
        heard.awaitTurn(LOCK, first);
        ask(store(), release(LOCK, first));
        heard.awaitTurn(LOCK, second);
    }

    @Test
    void nextWaiter_whenFirstLostItsPosition_isNotified() throws SQLException {
        listen();
        heldAndWaitedForBy(first);
        pass(QueueTimes.WAITER_TTL.minusSeconds(1));
        refused(second);
        refused(third);
        pass(Duration.ofSeconds(1));
        refused(first); // with a new place behind the third
        heard.awaitTurn(LOCK, second);
        assertThat(heard.count()).isEqualTo(2);
    }

    @Test
    void newFirstWaiter_ofHeldLock_hasItsTurnWhenTheLockIsFree() throws SQLException {
        granted(store(), acquire(LOCK, holder, Duration.ofSeconds(5)));
        refused(first);
        refused(second);
        ask(store(), release(LOCK, first));
        pass(Duration.ofSeconds(5).plus(QueueTimes.CLAIM_WINDOW).minusSeconds(1));
        refused(third);
        pass(Duration.ofSeconds(2));
        granted(store(), queue(LOCK, third));
    }

    @Test
    void nextWaiter_whenFirstMissedItsTurn_isNotified() throws SQLException {
        listen();
        heldAndWaitedForBy(first, second, third);
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, first);
        pass(QueueTimes.CLAIM_WINDOW);
        refused(third);
        heard.awaitTurn(LOCK, second);
    }

    /** The lock is as it was at its first turn, but for the queue. */
    @Test
    void waiter_whenItsTurnComesAgain_isNotifiedAgain() throws SQLException {
        listen();
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, first);
        pass(QueueTimes.CLAIM_WINDOW);
        assertThat(ask(store(), acquire(LOCK, third))).isInstanceOf(LockReply.Busy.class);
        heard.awaitTurn(LOCK, second);
        refused(first);
        int before = heard.count();
        ask(store(), release(LOCK, second));
        heard.await(Notification.of(new LockName(LOCK), first), before);
    }

    @Test
    void firstLivingWaiter_isNotified() throws SQLException {
        listen();
        heldAndWaitedForBy(first);
        pass(QueueTimes.WAITER_TTL);
        refused(second);
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, second);
    }

    @Test
    void notification_carriesTheNameUnchanged() {
        listen();
        for (String name : List.of(
                "it's \"quoted\"; \\ $1",
                " blanks  within ",
                "line\nline\ttab",
                "ä\u0308 \u202e \uFFFF",
                "\uD83D\uDD12".repeat(LONGEST))) {
            AcquisitionId mine = id();
            AcquisitionId next = id();
            granted(store(), acquire(name, mine));
            ask(store(), queue(name, next));
            ask(store(), release(name, mine));
            heard.awaitTurn(name, next);
        }
    }

    @Test
    void subscribers_areNotifiedUntilTheyAreClosed() throws Exception {
        listen();
        ReceivedNotifications leaving = new ReceivedNotifications();
        AutoCloseable subscription = store().subscribe(leaving);
        leaving.awaitAny();
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder));
        heard.awaitTurn(LOCK, first);
        leaving.awaitTurn(LOCK, first);
        subscription.close();
        int before = leaving.count();
        granted(store(), queue(LOCK, first));
        ask(store(), release(LOCK, first));
        heard.awaitTurn(LOCK, second);
        assertThat(leaving.count()).isEqualTo(before);
    }

    @Test
    void listenerThread_endsWithTheLastSubscriberAndStartsWithTheNext() throws Exception {
        for (int time = 0; time < 3; time++) {
            ReceivedNotifications again = new ReceivedNotifications();
            AutoCloseable subscription = store().subscribe(again);
            again.awaitAny();
            subscription.close();
            subscription.close();
            Await.until("the thread has ended", () -> !again.teller().isAlive());
        }
        listen();
        store().close();
        Await.until("the thread has ended", () -> !heard.teller().isAlive());
        assertThatThrownBy(() -> store().subscribe(heard)).isInstanceOf(IllegalStateException.class);
    }

    /** Hears everything from now on, until the store is closed. */
    final void listen() {
        store().subscribe(heard);
        heard.awaitAny();
    }
}
