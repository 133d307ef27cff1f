package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The order of waiters for one name in one process, and the queue entries they have in the store. */
class WaitQueueTest extends ScriptedWaitQueue {

    @Test
    void waiters_ofOneProcess_shareOneQueueEntry() {
        for (int i = 0; i < 100; i++) {
            acquire(i, RENEWED);
        }
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);

        scripted.pass(Duration.ofSeconds(4));

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void withdraw_ofFirstWaiter_leavesQueueEntryToNextWaiter() {
        Waiter first = acquire(0, RENEWED);
        acquire(1, RENEWED);
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        first.withdraw();
        assertThat(scripted.isQuiet()).isTrue();

        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(acquire.id());
        granted(7);
        assertThat(served).containsExactly(1);
    }

    @Test
    void withdraw_ofLastWaiter_releasesQueueEntry() {
        Waiter only = acquire(0, RENEWED);
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        only.withdraw();

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, acquire.id(), Duration.ZERO, Duration.ZERO));
    }

    @Test
    void withdraw_afterUnansweredAttempt_releasesQueueEntryIfNextLeaseLengthDiffers() {
        Waiter first = acquire(0, RENEWED);
        acquire(1, new LeaseOptions(LEASE.dividedBy(2), false, Duration.ZERO, CALL));
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        first.withdraw();

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, acquire.id(), Duration.ZERO, LEASE));
        scripted.reply(new LockReply.Released(false));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(acquire.id());
    }

    @Test
    void waiters_withoutHandOffs_haveOwnQueueEntriesAndFirstTakesAnyGrant() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        Waiter first = acquire(0, RENEWED);
        acquire(1, RENEWED);
        acquire(2, RENEWED);
        List<AcquisitionId> places = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            places.add(scripted.expect(LockCommand.Acquire.class).id());
            scripted.reply(QUEUED);
        }
        assertThat(places).doesNotHaveDuplicates();

        first.withdraw();
        assertThat(scripted.expect(LockCommand.Release.class).id())
                .as("the place of the one that left")
                .isEqualTo(places.get(0));
        scripted.reply(new LockReply.Released(false));
        scripted.notifyWaiters(Notification.of(JOB, places.get(2)));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(places.get(2));
        granted(7);
        assertThat(served).containsExactly(1);
        release(1);
        scripted.expect(LockCommand.Release.class);
    }

    @Test
    void release_withoutHandOffs_isFollowedByNextAcquireWithoutNotification() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        granted(7);
        AcquisitionId next = scripted.expect(LockCommand.Acquire.class).id();
        scripted.reply(QUEUED);
        assertThat(scripted.isQuiet()).isTrue();

        release(0);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(next);
        scripted.reply(new LockReply.Granted(8, LEASE));
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void nextWaiter_whenAcquireAfterReleaseIsQueued_waitsForNotification() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        acquire(2, RENEWED);
        granted(7);
        AcquisitionId next = scripted.expect(LockCommand.Acquire.class).id();
        scripted.reply(QUEUED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);

        release(0);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.notifyWaiters(Notification.of(JOB, next));
        granted(8);
        assertThat(served).containsExactly(0, 1);

        release(1);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void grant_ofLengthNoLongerWanted_isReleasedAndNotReportedUnavailable() {
        Waiter first = acquire(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        acquire(
                1,
                new LeaseOptions(LEASE.dividedBy(2), false, Duration.ZERO, CALL),
                WaitPolicy.upTo(Duration.ofMillis(30), CALL));
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        first.withdraw();
        scripted.pass(Duration.ofMillis(25));
        scripted.reply(new LockReply.Granted(7, LEASE));

        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(acquire.id());
        scripted.reply(RELEASED);
        assertThat(scripted.expect(LockCommand.Acquire.class).lease()).isEqualTo(LEASE.dividedBy(2));
        scripted.pass(Duration.ofMillis(5));
        assertThat(outcomes).containsExactly(new AcquireResult.Withdrawn(), new AcquireResult.Busy());
    }

    @Test
    void queueEntry_afterLastAttemptOfItsWaiter_isReleased() {
        Waiter first = acquire(0, RENEWED);
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        acquire(1, RENEWED, WaitPolicy.upTo(Duration.ofMillis(40), CALL));
        first.withdraw();
        scripted.pass(Duration.ofMillis(50));
        scripted.notifyWaiters(Notification.ANY);
        scripted.reply(new LockReply.Busy(Duration.ofMillis(50)));

        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(acquire.id());
    }

    @Test
    void waitTimeout_atMomentOfGrant_acquiresOrLeavesLeaseToNextWaiter() {
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 16);
            outcomes.clear();
            served.clear();
            acquire(0, RENEWED, WaitPolicy.upTo(Duration.ofMillis(500), CALL));
            acquire(1, RENEWED);
            LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
            scripted.reply(QUEUED);
            scripted.pass(Duration.ofMillis(499));
            scripted.notifyWaiters(Notification.ANY);
            scripted.pass(Duration.ofMillis(random.nextInt(3)));
            granted(7);

            boolean inTime = outcomes.get(0) instanceof AcquireResult.Held;
            assertThat(outcomes).as("seed %d", seed).hasSize(inTime ? 1 : 2);
            if (inTime) {
                release(0);
            }
            assertThat(served).last().as("seed %d", seed).isEqualTo(1);
            assertThat(lease(outcomes.size() - 1).state()).isEqualTo(LeaseState.HELD);
            release(outcomes.size() - 1);
            assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(acquire.id());
        }
    }

    @Test
    void close_withHeldLeaseAndWaiters_endsThemAll() {
        acquire(0, RENEWED);
        granted(7);
        acquire(1, RENEWED);
        acquire(2, RENEWED);
        scripted.engine().close(() -> {});

        assertThat(lease(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(outcomes).endsWith(new AcquireResult.Closed(), new AcquireResult.Closed());
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }
}
