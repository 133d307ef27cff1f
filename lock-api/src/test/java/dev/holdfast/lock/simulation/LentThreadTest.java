package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Which thread sends the next acquire after a notification of the store. */
class LentThreadTest extends ScriptedWaitQueue {

    /** A waiting thread that runs a lent task when the test says so. */
    private final class Caller implements AcquireCallback {

        final Deque<Runnable> lent = new ArrayDeque<>();
        boolean busy;

        @Override
        public void completed(AcquireResult outcome) {
            outcomes.add(outcome);
        }

        @Override
        public boolean runOnWaitingThread(Runnable task) {
            return !busy && lent.add(task);
        }
    }

    private final Caller thread = new Caller();

    private Waiter acquireAndQueue(Caller caller, WaitPolicy waitPolicy) {
        Waiter waiter = scripted.engine().acquire(JOB, RENEWED, waitPolicy, Lane.CALLER, caller);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        return waiter;
    }

    @Test
    void notification_whenWaitingThreadIsIdle_runsAcquireOnThatThread() {
        acquireAndQueue(thread, WaitPolicy.unlimited());
        scripted.notifyWaiters(Notification.ANY);
        assertThat(scripted.isQuiet()).isTrue();

        thread.lent.remove().run();

        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.reply(new LockReply.Granted(7, LEASE));
        assertThat(outcomes).hasOnlyElementsOfType(AcquireResult.Held.class).hasSize(1);
    }

    @Test
    void notification_whenWaitingThreadIsBusy_runsAcquireInBackground() {
        thread.busy = true;
        acquireAndQueue(thread, WaitPolicy.unlimited());
        scripted.notifyWaiters(Notification.ANY);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(thread.lent).isEmpty();
    }

    @Test
    void notification_whenWaitMayEndBeforeCallTimeout_runsAcquireInBackground() {
        acquireAndQueue(thread, WaitPolicy.upTo(Duration.ofSeconds(4), CALL));
        scripted.pass(Duration.ofMillis(1_001));
        scripted.notifyWaiters(Notification.ANY);

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(scripted.timeout()).isEqualTo(CALL);
        assertThat(thread.lent).isEmpty();
    }

    @Test
    void lentThread_whenRemainingWaitIsBelowCallTimeout_leavesAcquireToBackground() {
        acquireAndQueue(thread, WaitPolicy.upTo(Duration.ofSeconds(4), CALL));
        scripted.pass(Duration.ofSeconds(1));
        scripted.notifyWaiters(Notification.ANY);
        scripted.pass(Duration.ofMillis(1));
        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(scripted.timeout()).isEqualTo(CALL);
    }

    @Test
    void lentThread_whenItsWaiterWithdrewButAnotherWaits_leavesAcquireToBackground() {
        Waiter waiter = acquireAndQueue(thread, WaitPolicy.unlimited());
        Caller other = new Caller();
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, other);
        scripted.notifyWaiters(Notification.ANY);
        waiter.withdraw();

        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
    }

    @Test
    void lentThread_whenOnlyWaiterWithdrew_sendsNothing() {
        Waiter waiter = acquireAndQueue(thread, WaitPolicy.unlimited());
        scripted.notifyWaiters(Notification.ANY);
        waiter.withdraw();
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));

        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void lentThread_whileAnotherAttemptIsInFlight_sendsNothing() {
        acquireAndQueue(thread, WaitPolicy.unlimited());
        scripted.notifyWaiters(Notification.ANY);
        scripted.pass(Duration.ofSeconds(5)); // the retry is due anyway
        scripted.expect(LockCommand.Acquire.class);

        thread.lent.remove().run();

        scripted.reply(QUEUED);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void lentThread_thatNeverRuns_delaysAcquireUntilRetryAfter() {
        acquireAndQueue(thread, WaitPolicy.unlimited());
        scripted.notifyWaiters(Notification.ANY);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void release_withoutHandOffs_runsOnCallersThreadUnlessAcquireFollows() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        granted(1);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);

        release(0); // the next acquire goes with the release, as it may be next in the queue
        scripted.expect(LockCommand.Release.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        scripted.reply(RELEASED);
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        scripted.reply(QUEUED); // another process was next
        scripted.notifyWaiters(Notification.ANY);
        thread.lent.remove().run();
        granted(2);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);

        release(1);
        scripted.expect(LockCommand.Release.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.reply(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }
}
