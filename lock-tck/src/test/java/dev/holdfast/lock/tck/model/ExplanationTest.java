package dev.holdfast.lock.tck.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    private static final LockName JOB = new LockName("job");
    private static final AcquisitionId ONE = new AcquisitionId(0, 1);
    private static final AcquisitionId TWO = new AcquisitionId(0, 2);
    private static final Duration LEASE = Duration.ofSeconds(100);
    private static final LockReply BUSY = new LockReply.Busy(Duration.ofMillis(1));
    private static final LockReply QUEUED = new LockReply.Queued(Duration.ofSeconds(1));
    private static final LockReply GONE = new LockReply.Gone();
    private static final LockReply LOST = new LockReply.Unavailable(new IllegalStateException("no reply"));

    private final List<Operation> history = new ArrayList<>();

    @Test
    void history_ofOneHolderAfterTheOther_isExplained() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 3, acquire(TWO), BUSY);
        at(4, 5, release(ONE), new LockReply.Released(true));
        at(6, 7, acquire(TWO), granted(2, LEASE));

        assertThat(demands(false)).isEmpty();
    }

    @Test
    void history_ofTwoHolders_isNotExplained() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 3, acquire(TWO), granted(2, LEASE));

        assertThat(demands(false)).containsExactly("another id holds the lock, so it must be Busy");
    }

    @Test
    void history_ofAReleaseWithinTheAcquire_isExplainedByTheOtherOrder() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 9, acquire(TWO), granted(2, LEASE));
        at(3, 4, release(ONE), new LockReply.Released(true));

        assertThat(demands(false)).isEmpty();
    }

    @Test
    void history_ofASmallerToken_isNotExplained() {
        at(0, 1, acquire(ONE), granted(7, LEASE));
        at(2, 3, release(ONE), new LockReply.Released(true));
        at(4, 5, acquire(TWO), granted(6, LEASE));

        assertThat(demands(false)).containsExactly("a new grant must have a token greater than 7");
    }

    @Test
    void acquire_withoutReply_mayHoldTheLockOrNot() {
        at(0, 1, acquire(ONE), LOST);
        at(2, 3, acquire(TWO), BUSY);
        assertThat(demands(false)).isEmpty();

        history.set(1, executed(2, 3, acquire(TWO), granted(1, LEASE)));
        assertThat(demands(false)).isEmpty();
    }

    @Test
    void lease_atItsEnd_mayBeOverOrNot() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(100_000, 100_001, acquire(TWO), BUSY);
        assertThat(demands(false)).isEmpty();

        history.set(1, executed(100_000, 100_001, acquire(TWO), granted(2, LEASE)));
        assertThat(demands(false)).isEmpty();
    }

    @Test
    void lease_longAfterItsEnd_isOver() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(101_000, 101_001, acquire(TWO), BUSY);

        assertThat(demands(false))
                .containsExactly("the lock is free and not reserved for another id, so it must be Granted");
    }

    @Test
    void renewal_ofTheHolder_isNotGone() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 3, new LockCommand.Renew(JOB, ONE, LEASE), GONE);

        assertThat(demands(false)).singleElement().asString().endsWith("so it must be Granted");
    }

    @Test
    void gone_afterAReleaseWithoutReply_saysNothingAboutOtherInstances() {
        at(0, 1, acquire(TWO), granted(1, LEASE));
        at(2, 3, new LockCommand.Release(JOB, ONE, Duration.ZERO, LEASE), LOST);
        at(4, 5, acquire(ONE), GONE);
        at(6, 7, acquire(ONE), BUSY);
        assertThat(demands(false)).isEmpty();

        history.set(1, executed(2, 3, release(ONE), LOST)); // which leaves nothing to know of
        assertThat(demands(false))
                .containsExactly("the id never held the lock and has no tombstone, so it must not be Gone");
    }

    @Test
    void gone_whileAReleaseIsUnderWay_saysNothingAboutOtherInstances() {
        at(0, 1, acquire(TWO), granted(1, LEASE));
        at(2, 7, new LockCommand.Release(JOB, ONE, Duration.ZERO, LEASE), new LockReply.Released(false));
        at(3, 4, acquire(ONE), GONE);
        at(5, 6, acquire(ONE), BUSY);
        assertThat(demands(false)).isEmpty();

        at(8, 9, acquire(ONE), BUSY);
        assertThat(demands(false)).isNotEmpty();
    }

    @Test
    void gone_whileAReleaseWithAMinimumHoldIsUnderWay_saysNothingAboutOtherInstances() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 7, new LockCommand.Release(JOB, ONE, LEASE, Duration.ZERO), new LockReply.Released(true));
        at(3, 4, acquire(ONE), GONE);
        at(5, 6, new LockCommand.Renew(JOB, ONE, LEASE), granted(1, LEASE));
        assertThat(demands(false)).isEmpty();

        history.set(1, executed(2, 7, release(ONE), new LockReply.Released(true)));
        assertThat(demands(false)).isNotEmpty();
    }

    @Test
    void queue_afterARestart_isTheSame() {
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 3, queueing(TWO), QUEUED);
        restart(4, 5);
        at(6, 7, release(ONE), new LockReply.Released(true));
        at(8, 9, acquire(new AcquisitionId(0, 3)), granted(2, LEASE));

        assertThat(demands(true)).containsExactly("the lock is reserved for another id, so it must be Busy");
    }

    /** A release of an id that the store does not know need not look at the queue. */
    @Test
    void claimWindow_afterTheDeathOfTheFirstWaiter_beginsWithTheNextAcquireAtTheLatest() {
        AcquisitionId next = new AcquisitionId(0, 3);
        AcquisitionId other = new AcquisitionId(0, 4);
        at(0, 1, acquire(ONE), granted(1, LEASE));
        at(2, 3, queueing(TWO), QUEUED);
        at(10_000, 10_001, queueing(next), QUEUED);
        at(14_000, 14_001, release(ONE), new LockReply.Released(true));
        at(15_500, 15_501, release(other), new LockReply.Released(false)); // the first waiter is dead
        at(18_000, 18_001, acquire(other), granted(2, LEASE));
        assertThat(demands(true)).isEmpty();

        history.set(5, executed(18_000, 18_001, acquire(other), BUSY));
        assertThat(demands(true)).isEmpty();

        at(20_500, 20_501, acquire(other), BUSY);
        assertThat(demands(true))
                .containsExactly("the lock is free and not reserved for another id, so it must be Granted");
    }

    /** While shares are out, a command for the whole lock need not see that one of them has ended. */
    @Test
    void claimWindow_afterTheEndOfAShare_mayBeginWithAnExclusiveCommand() {
        AcquisitionId waiter = new AcquisitionId(0, 3);
        AcquisitionId exclusive = new AcquisitionId(0, 4);
        AcquisitionId next = new AcquisitionId(0, 5);
        AcquisitionId last = new AcquisitionId(0, 6);
        Duration brief = Duration.ofMillis(200);
        at(0, 1, share(ONE, Share.shared(), LEASE, false), granted(1, LEASE));
        at(2, 3, share(TWO, new Share(2, 3), brief, false), granted(2, brief));
        at(4, 5, share(waiter, new Share(1, 3), LEASE, true), QUEUED); // due when the second share ends
        at(3_000, 3_001, acquire(exclusive), BUSY);
        at(3_002, 3_003, share(next, Share.shared(), LEASE, false), granted(3, LEASE));
        at(3_004, 3_005, share(last, Share.shared(), LEASE, false), BUSY);
        assertThat(demands(true)).isEmpty();

        history.set(5, executed(3_004, 3_005, share(last, Share.shared(), LEASE, false), granted(4, LEASE)));
        assertThat(demands(true)).isEmpty();

        history.set(5, executed(5_100, 5_101, share(last, Share.shared(), LEASE, false), BUSY));
        assertThat(demands(true)).isNotEmpty();

        history.set(3, executed(3_000, 3_001, new LockCommand.Renew(JOB, exclusive, LEASE), GONE));
        history.set(5, executed(3_004, 3_005, share(last, Share.shared(), LEASE, false), BUSY));
        assertThat(demands(true)).isNotEmpty();
    }

    @Test
    void history_ofManyLeasesWithUncertainEnds_isNotSearchedForLong() {
        Duration brief = Duration.ofMillis(100);
        for (int number = 1; number <= 9; number++) {
            AcquisitionId id = new AcquisitionId(0, number);
            at(
                    number,
                    500,
                    new LockCommand.Acquire(JOB, id, brief, false, 0, "owner", Share.shared()),
                    granted(number, brief));
        }
        at(550, 560, release(new AcquisitionId(0, 10)), new LockReply.Released(true)); // in no state

        assertThatThrownBy(() -> Explanation.missing(history, false, 100))
                .isInstanceOf(Explanation.Undecided.class)
                .hasMessageContaining("100 possible steps");
    }

    private List<String> demands(boolean queues) {
        return Explanation.missing(history, queues).stream()
                .flatMap(each -> each.refusals().stream())
                .map(Explanation.Refusal::demand)
                .toList();
    }

    private static LockCommand acquire(AcquisitionId id) {
        return new LockCommand.Acquire(JOB, id, LEASE, false, 0, "owner");
    }

    private static LockCommand queueing(AcquisitionId id) {
        return new LockCommand.Acquire(JOB, id, LEASE, true, 0, "owner");
    }

    private static LockCommand share(AcquisitionId id, Share share, Duration lease, boolean queue) {
        return new LockCommand.Acquire(JOB, id, lease, queue, 0, "owner", share);
    }

    private static LockCommand release(AcquisitionId id) {
        return new LockCommand.Release(JOB, id, Duration.ZERO, Duration.ZERO);
    }

    private static LockReply granted(long token, Duration remaining) {
        return new LockReply.Granted(token, remaining);
    }

    private void at(int from, int to, LockCommand command, LockReply reply) {
        history.add(executed(from, to, command, reply));
    }

    private static Operation executed(int from, int to, LockCommand command, LockReply reply) {
        return new Operation.Executed(call(from, to), 0, command, reply);
    }

    private void restart(int from, int to) {
        history.add(new Operation.Restarted(call(from, to), 0, JOB));
    }

    /** The time of a call, in milliseconds, is its number as well. */
    private static Operation.Call call(int from, int to) {
        return new Operation.Call(
                from, "client", TimeUnit.MILLISECONDS.toNanos(from), TimeUnit.MILLISECONDS.toNanos(to));
    }
}
