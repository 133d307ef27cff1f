package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * Timers that run late, after they were cancelled, or cannot be created: the engine reports a silent store, and only a silent
 * one, and a lease that is over stays over.
 */
class LateTimersTest extends ScriptedCaller {

    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Runs the tasks that are due now, and no others. */
    private static final Duration TIMERS_FIRST = Duration.ZERO;

    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(10);

    private final List<LockLostException> losses = new ArrayList<>();

    @Test
    void pendingReply_afterStandstill_isProcessedBeforeTimers() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(outcomes).isEmpty();
        scripted.reply(GRANTED);
        LeaseHolder lease = held();

        lease.release(Lane.CALLER, RELEASE_TIMEOUT, releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(releaseResults).isEmpty();
        scripted.reply(new LockReply.Released(true));
        assertThat(releaseResults).singleElement().matches(ReleaseResult::answered);
    }

    @Test
    void limitedWait_afterStandstill_endsWithPendingReply() {
        acquire(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(outcomes).isEmpty();
        scripted.reply(BUSY);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Busy.class);
    }

    @Test
    void silentStore_afterStandstill_isReportedWithinOneSecond() {
        LeaseHolder lease = granted();
        outcomes.clear();
        lease.release(Lane.CALLER, RELEASE_TIMEOUT, releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        acquire(WaitPolicy.unlimited());
        acquire(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.standStill(Duration.ofSeconds(20));

        scripted.pass(SECOND);
        assertThat(outcomes).hasSize(2).allMatch(AcquireResult.Unavailable.class::isInstance);
        assertThat(releaseResults).singleElement().matches(end -> !end.answered());
    }

    @Test
    void renewalTimer_firingAfterRelease_sendsAndChangesNothing() {
        LeaseHolder lease = grantedFor(Duration.ofMillis(60));
        lease.release(Lane.CALLER, RELEASE_TIMEOUT, releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(true));

        scripted.fireCancelledTimers();

        assertThat(scripted.isQuiet()).as("nothing is sent").isTrue();
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(losses).isEmpty();
    }

    @Test
    void deadlineTimer_firingAfterLoss_sendsAndChangesNothing() {
        LeaseHolder lease = grantedFor(Duration.ofMillis(45));
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));
        LockLostException loss = lease.loss();

        scripted.fireCancelledTimers();

        assertThat(scripted.isQuiet()).as("nothing is sent").isTrue();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(losses).as("the loss is told once").containsExactly(loss);
    }

    /** A lease with so little left that its timer has no slack: it is not shared with other leases. */
    private LeaseHolder grantedFor(Duration remaining) {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(7, remaining));
        LeaseHolder lease = held();
        lease.onLoss(losses::add);
        return lease;
    }

    @Test
    void acquire_afterTimerFailureOfAnotherCaller_reportsUnavailableInTime() {
        acquire(WaitPolicy.unlimited());
        scripted.exhaust(true);
        assertThatThrownBy(() -> acquire(WaitPolicy.once(CALL))).isInstanceOf(OutOfMemoryError.class);
        scripted.exhaust(false);
        outcomes.clear();
        acquire(WaitPolicy.unlimited());

        scripted.pass(Duration.ofSeconds(11));
        assertThat(outcomes).hasSize(2).allMatch(AcquireResult.Unavailable.class::isInstance);
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void acquireOnce_whenNoTimerIsAvailableForOtherCallers_reportsUnavailable() {
        acquire(WaitPolicy.unlimited());
        acquire(WaitPolicy.once(CALL));
        scripted.exhaust(true);

        try (StandardError printed = StandardError.listen()) {
            scripted.pass(Duration.ofSeconds(4));
            assertThat(printed.lines()).anyMatch(line -> line.contains("CoalescingTimer - a timer task failed"));
        }
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }
}
