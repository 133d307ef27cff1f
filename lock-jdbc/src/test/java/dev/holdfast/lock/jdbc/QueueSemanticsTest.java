package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.LEASE;
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
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of the waiters of one lock. The same on each database. */
abstract class QueueSemanticsTest extends RowSemanticsTest {

    static final String LOCK = "waited for";

    static final Duration SECOND = Duration.ofSeconds(1);
    static final Duration ALMOST_A_TICKET = QueueTimes.WAITER_TTL.minus(SECOND);

    final AcquisitionId holder = id();
    final AcquisitionId first = id();
    final AcquisitionId second = id();
    final AcquisitionId third = id();

    @Test
    void waiters_areServedInTheOrderOfArrival() {
        heldAndWaitedForBy(first, second, third);
        ask(store(), release(LOCK, holder));
        refused(third);
        refused(second);
        granted(store(), queue(LOCK, first));
        refused(second);
        ask(store(), release(LOCK, first));
        refused(third);
        granted(store(), queue(LOCK, second));
        ask(store(), release(LOCK, second));
        granted(store(), queue(LOCK, third));
    }

    @Test
    void acquire_whenOthersWait_doesNotOvertake() {
        heldAndWaitedForBy(first);
        ask(store(), release(LOCK, holder));
        pass(Duration.ofMillis(1));
        assertThat(ask(store(), acquire(LOCK, id())))
                .isInstanceOfSatisfying(
                        LockReply.Busy.class,
                        busy -> assertThat(busy.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofMillis(50)));
        refused(second);
        granted(store(), acquire(LOCK, first)); // also if it asks for no place now
    }

    @Test
    void waiter_whenItAsksAgain_keepsItsPosition() throws SQLException {
        heldAndWaitedForBy(first, second);
        refused(first);
        pass(ALMOST_A_TICKET);
        refused(second);
        refused(first);
        pass(ALMOST_A_TICKET);
        ask(store(), renew(LOCK, holder, LEASE));
        refused(second);
        refused(first);
        assertThat(ask(store(), release(LOCK, holder))).isEqualTo(new LockReply.Released(true));
        refused(second);
        granted(store(), queue(LOCK, first));
    }

    @Test
    void freeLock_isReservedForTheFirstWaiterAndThenForTheNext() throws SQLException {
        heldAndWaitedForBy(first, second, third);
        ask(store(), release(LOCK, holder));
        pass(SECOND);
        refused(third);
        pass(SECOND);
        refused(third); // the first had its chance; now it is the second's
        pass(SECOND);
        refused(third);
        refused(first); // with a new place behind the third
        granted(store(), queue(LOCK, second));
        ask(store(), release(LOCK, second));
        refused(first);
        granted(store(), queue(LOCK, third));
        assertThat(rows("holdfast_waiter")).isEqualTo(1);
    }

    @Test
    void firstWaiter_afterItsClaimWindowWithoutRivals_isGranted() throws SQLException {
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder));
        pass(QueueTimes.CLAIM_WINDOW.multipliedBy(3));
        granted(store(), queue(LOCK, first));
        refused(second);
    }

    @Test
    void waiter_afterRelease_isSkipped() throws SQLException {
        heldAndWaitedForBy(first, second, third);
        assertThat(ask(store(), release(LOCK, second))).isEqualTo(new LockReply.Released(false));
        ask(store(), release(LOCK, holder));
        pass(Duration.ofMillis(1200));
        assertThat(ask(store(), release(LOCK, first))).isEqualTo(new LockReply.Released(false));
        pass(Duration.ofMillis(1200)); // more than what was left of the first's time
        refused(second);
        granted(store(), queue(LOCK, third));
        ask(store(), release(LOCK, third));
        ask(store(), release(LOCK, second));
        granted(store(), acquire(LOCK, id()));
        assertThat(rows("holdfast_waiter")).isZero();
    }

    @Test
    void waiter_afterReleaseWithTombstone_neverQueuesAgain() {
        heldAndWaitedForBy(first);
        ask(store(), release(LOCK, first, Duration.ZERO, LEASE));
        assertThat(ask(store(), queue(LOCK, first))).isEqualTo(new LockReply.Gone());
        assertThat(ask(store(), queue(LOCK, first))).isEqualTo(new LockReply.Gone());
        ask(store(), release(LOCK, holder));
        granted(store(), acquire(LOCK, id()));
    }

    @Test
    void leaseExpiry_startsTheTurnOfTheFirstWaiter() throws SQLException {
        granted(store(), acquire(LOCK, holder, Duration.ofSeconds(5)));
        refused(first);
        pass(Duration.ofSeconds(6));
        assertThat(ask(store(), acquire(LOCK, id()))).isInstanceOf(LockReply.Busy.class);
        assertThat(ask(store(), queue(LOCK, holder))).isEqualTo(new LockReply.Gone());
        granted(store(), queue(LOCK, first));
        assertThat(ask(store(), queue(LOCK, holder))).isEqualTo(new LockReply.Gone());
    }

    @Test
    void firstWaiter_duringMinimumHold_waitsForItsEnd() throws SQLException {
        heldAndWaitedForBy(first);
        ask(store(), release(LOCK, holder, Duration.ofSeconds(10), Duration.ZERO));
        pass(Duration.ofSeconds(9));
        assertThat(waiting(store(), queue(LOCK, first))).isBetween(Duration.ofMillis(1), SECOND);
        pass(Duration.ofSeconds(2));
        assertThat(ask(store(), acquire(LOCK, id()))).isInstanceOf(LockReply.Busy.class);
        granted(store(), queue(LOCK, first));
    }

    @Test
    void tokens_riseAndRepetitionsGetTheSameToken() {
        long held = granted(store(), acquire(LOCK, holder)).token();
        refused(first);
        ask(store(), release(LOCK, holder));
        long token = granted(store(), queue(LOCK, first)).token();
        assertThat(token).isGreaterThan(held);
        assertThat(granted(store(), queue(LOCK, first)).token()).isEqualTo(token);
        assertThat(ask(store(), release(LOCK, first))).isEqualTo(new LockReply.Released(true));
        assertThat(ask(store(), queue(LOCK, first))).isEqualTo(new LockReply.Gone());
    }

    @Test
    void waiter_whenNoTokenIsLeft_keepsItsPosition() {
        heldAndWaitedForBy(first, second);
        ask(store(), release(LOCK, holder));
        assertThat(ask(
                        store(),
                        new LockCommand.Acquire(
                                new LockName(LOCK), first, LEASE, true, LockReply.Granted.MAX_TOKEN, "a test")))
                .isInstanceOf(LockReply.Unavailable.class);
        refused(second);
        granted(store(), queue(LOCK, first));
    }

    @Test
    void waiters_ofOneBatch_areServedInItsOrder() {
        granted(store(), acquire(LOCK, holder));
        List<LockReply> replies = store().execute(
                        List.of(
                                queue(LOCK, first),
                                queue(LOCK, second),
                                release(LOCK, holder),
                                queue(LOCK, second),
                                queue(LOCK, first)),
                        Commands.CALL);
        assertThat(replies)
                .extracting(each -> each.getClass().getSimpleName())
                .containsExactly("Queued", "Queued", "Released", "Queued", "Granted");
    }

    @Test
    void lock_afterItsRowWasDeletedByHand_isGrantedAndWaitersComeBack() throws SQLException {
        heldAndWaitedForBy(first, second);
        try (Connection connection = connection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM holdfast_lock");
        }
        granted(store(), queue(LOCK, first));
        refused(second);
        ask(store(), release(LOCK, first));
        granted(store(), queue(LOCK, second));
    }

    /** Held by the holder, and waited for by these, in this order. */
    final void heldAndWaitedForBy(AcquisitionId... waiters) {
        granted(store(), acquire(LOCK, holder));
        for (AcquisitionId waiter : waiters) {
            refused(waiter);
        }
    }

    final void refused(AcquisitionId id) {
        assertThat(waiting(store(), queue(LOCK, id))).isBetween(Duration.ZERO, QueueTimes.REFRESH_INTERVAL);
    }
}
