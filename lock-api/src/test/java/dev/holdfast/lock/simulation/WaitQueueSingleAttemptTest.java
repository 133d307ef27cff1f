package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An acquire without waiting, beside the waiters of its process. */
class WaitQueueSingleAttemptTest extends ScriptedWaitQueue {

    @Test
    void acquireOnce_whenLockIsHeldOrAwaitedLocally_returnsBusyWithoutStoreCall() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        acquireOnce();
        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
        assertThat(scripted.isQuiet()).isTrue();

        scripted.pass(Duration.ofSeconds(5));
        granted(7);
        acquireOnce();
        assertThat(outcomes).last().isEqualTo(new AcquireResult.Busy());
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquireOnce_behindUnansweredLocalAcquire_returnsBusyAfterItsGrant() {
        acquire(0, RENEWED);
        acquireOnce();
        granted(7);

        assertThat(served).containsExactly(0);
        assertThat(outcomes).last().isEqualTo(new AcquireResult.Busy());
    }

    @Test
    void acquireOnce_behindWaiterOfSilentStore_reportsUnavailable() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(CALL);
        scripted.replyUnavailable();
        acquireOnce();
        while (outcomes.isEmpty()) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.pass(Duration.ofSeconds(1));
            scripted.replyUnavailable();
        }

        assertThat(outcomes.get(0)).isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void limitedWait_whenStoreRecoversFromSilence_endsBusy() {
        acquire(0, RENEWED, WaitPolicy.upTo(Duration.ofMinutes(1), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(3));
        scripted.replyUnavailable();
        for (int i = 0; i < 11; i++) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(QUEUED);
        }
        scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        assertThat(outcomes).as("silent for a moment").isEmpty();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.pass(Duration.ofSeconds(5));

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }

    @Test
    void shortWait_behindSlowAttempt_endsBusy() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.notifyWaiters(Notification.ANY);
        acquire(1, RENEWED, WaitPolicy.upTo(Duration.ofNanos(1), CALL));
        scripted.reply(QUEUED);
        scripted.notifyWaiters(Notification.ANY);
        scripted.pass(Duration.ofMillis(39));

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }

    @Test
    void acquireOnce_whenLocalLeaseExpiredUnnoticed_callsStore() {
        acquire(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        scripted.suspend(LEASE);
        acquireOnce();

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(lease(0).state()).isEqualTo(LeaseState.LOST);
    }
}
