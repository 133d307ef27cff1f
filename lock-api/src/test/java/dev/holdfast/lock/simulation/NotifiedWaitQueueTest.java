package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a wait queue reacts to the notifications of a store. */
class NotifiedWaitQueueTest extends ScriptedWaitQueue {

    @Test
    void notification_ofNameAndId_wakesOnlyMatchingWaiter() {
        acquire(0, RENEWED);
        AcquisitionId id = scripted.expect(LockCommand.Acquire.class).id();
        scripted.reply(QUEUED);

        scripted.notifyWaiters(Notification.of(JOB, new AcquisitionId(1, 2)));
        scripted.notifyWaiters(Notification.of(new LockName("other"), id));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.notifyWaiters(Notification.of(JOB, id));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.reply(QUEUED);
        scripted.notifyWaiters(Notification.ANY);
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void notification_whileAttemptIsInFlight_causesOneMoreAttempt() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.notifyWaiters(Notification.ANY);
        scripted.notifyWaiters(Notification.ANY);
        scripted.reply(QUEUED);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.reply(QUEUED);
        assertThat(scripted.isQuiet()).as("once").isTrue();
    }

    @Test
    void notification_whenLost_delaysAcquireUntilRetryAfter() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void subscription_whenStoreFailsToSubscribe_isRetriedAtIntervalsAndLoggedOnce() {
        scripted.failSubscriptions(true);
        for (int i = 0; i < 20; i++) {
            LockName name = new LockName("job-" + i);
            scripted.engine().acquire(name, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(new LockReply.Queued(Duration.ofHours(1)));
        }
        assertThat(scripted.subscriptions()).isEqualTo(1);
        scripted.pass(Duration.ofSeconds(25));
        assertThat(scripted.subscriptions()).isEqualTo(3);

        scripted.failSubscriptions(false);
        scripted.pass(Duration.ofSeconds(10));
        assertThat(scripted.isSubscribed()).isTrue();
        scripted.pass(Duration.ofMinutes(1));
        assertThat(scripted.subscriptions()).isEqualTo(4);
        assertThat(scripted.log())
                .containsExactly(
                        "WARN cannot subscribe to the notifications of the scripted store, retrying every ten"
                                + " seconds; until then waiters poll, and wait longer:"
                                + " java.lang.IllegalStateException: the store cannot signal now",
                        "INFO subscribed to the notifications of the scripted store again");
    }

    @Test
    void subscription_afterLastWaiterWithdrew_endsWithinOneMinute() {
        Waiter waiter = acquire(0, RENEWED);
        assertThat(scripted.isSubscribed()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        assertThat(scripted.isSubscribed()).isTrue();
        waiter.withdraw();
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));
        scripted.pass(Duration.ofMinutes(1));

        assertThat(scripted.isSubscribed()).isFalse();
    }
}
