package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** How waiters of one process hand a lease on, and how that ends. */
class HandOffTest extends ScriptedWaitQueue {

    @Test
    void release_withLocalWaiters_handsOffInOrderThenReturnsLeaseToStore() {
        for (int i = 0; i < 5; i++) {
            acquire(i, RENEWED);
        }
        granted(7);
        release(0);
        release(1);
        assertThat(scripted.isQuiet()).as("the store hears nothing of it").isTrue();
        release(2);

        assertThat(served).containsExactly(0, 1, 2);
        assertThat(tokens()).containsExactly(7L << 8, 7L << 8 | 1, 7L << 8 | 2);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        granted(8);
        assertThat(served).containsExactly(0, 1, 2, 3);
        assertThat(tokens()).last().isEqualTo(8L << 8);
    }

    @Test
    void release_byHandOff_reportsHeldAndCannotBeRepeated() {
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        granted(7);
        release(0);

        assertThat(releaseResults).containsExactly(new ReleaseResult(true, true, null));
        assertThat(lease(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(lease(0).release(Lane.CALLER, Duration.ZERO, releaseResults::add))
                .as("a second release")
                .isFalse();
        assertThat(lease(1).state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void release_afterTwentyMilliseconds_returnsLeaseToStore() {
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        granted(7);
        scripted.pass(Duration.ofMillis(20));
        release(0);

        scripted.expect(LockCommand.Release.class);
        assertThat(served).containsExactly(0);
    }

    @Test
    void release_onAStoreThatPolls_handsOffForAsLongAsAPollMayTake() {
        TurnLimits turn = TurnLimits.on(Duration.ofMillis(50), OptionalInt.empty());
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, turn);
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        acquire(2, RENEWED);
        granted(7);
        scripted.pass(Duration.ofMillis(49));
        release(0);
        assertThat(served).containsExactly(0, 1);
        scripted.pass(Duration.ofMillis(1));
        release(1);

        scripted.expect(LockCommand.Release.class);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void turn_ofAStoreThatPolls_hasMoreHoldersUnlessConfiguredAndEndsByATenthOfASecond() {
        assertThat(TurnLimits.on(Duration.ZERO, OptionalInt.empty()))
                .isEqualTo(new TurnLimits(16, Duration.ofMillis(20)));
        assertThat(TurnLimits.on(Duration.ofMillis(50), OptionalInt.empty()))
                .isEqualTo(new TurnLimits(40, Duration.ofMillis(50)));
        assertThat(TurnLimits.on(Duration.ofMillis(50), OptionalInt.of(1)))
                .isEqualTo(new TurnLimits(1, Duration.ofMillis(50)));
        assertThat(TurnLimits.on(Duration.ofMinutes(1), OptionalInt.empty()))
                .isEqualTo(new TurnLimits(80, Duration.ofMillis(100)));
    }

    @Test
    void release_whenLeaseOptionsDifferOrForbidHandOff_returnsLeaseToStore() {
        List<LeaseOptions> unlike = List.of(
                new LeaseOptions(LEASE.plusSeconds(1), true, Duration.ZERO, CALL),
                new LeaseOptions(LEASE, false, Duration.ZERO, CALL),
                new LeaseOptions(LEASE, true, Duration.ofSeconds(1), CALL));
        for (LeaseOptions other : unlike) {
            expectNoHandOff(RENEWED, other);
            expectNoHandOff(other, RENEWED);
        }
        expectNoHandOff(unlike.get(1), unlike.get(1));
        expectNoHandOff(unlike.get(2), unlike.get(2));
    }

    private void expectNoHandOff(LeaseOptions first, LeaseOptions second) {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 3);
        outcomes.clear();
        served.clear();
        acquire(0, first);
        acquire(1, second);
        granted(7);
        release(0);
        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(first.minimumHold());
        assertThat(served).containsExactly(0);
    }

    @Test
    void release_ofUnconfirmedLease_returnsLeaseToStore() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 16);
        LeaseOptions brief = new LeaseOptions(Duration.ofMillis(50), true, Duration.ZERO, Duration.ofMillis(10));
        acquire(0, brief);
        acquire(1, brief);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(7, Duration.ofMillis(50)));
        scripted.expect(LockCommand.Renew.class);
        scripted.replyUnavailable();
        assertThat(lease(0).state()).isEqualTo(LeaseState.UNCONFIRMED);
        release(0);

        assertThat(served).containsExactly(0);
        scripted.expect(LockCommand.Release.class);
    }

    @Test
    void loss_afterHandOff_isReportedToCurrentHolderOnce() {
        List<String> notified = new ArrayList<>();
        acquire(0, RENEWED);
        acquire(1, RENEWED);
        granted(7);
        lease(0).onLoss(loss -> notified.add("first"));
        release(0);
        lease(1).onLoss(loss -> notified.add("second"));
        lease(0).onLoss(loss -> notified.add("first again"));

        scripted.expect(LockCommand.Renew.class);
        scripted.pass(LEASE);

        assertThat(notified).containsExactly("second");
        assertThat(lease(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease(1).state()).isEqualTo(LeaseState.LOST);
        LockLostException loss = lease(1).loss();
        assertThat(loss).hasMessageContaining(Long.toString(7L << 8 | 1));
    }

    @Test
    void loss_withLocalWaiter_isFollowedByNewStoreAcquire() {
        acquire(0, RENEWED);
        granted(7);
        acquire(1, RENEWED);
        assertThat(scripted.isQuiet()).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());

        assertThat(lease(0).state()).isEqualTo(LeaseState.LOST);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        granted(9);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void grant_whileEarlierLeaseIsHeld_endsThatLeaseOnlyIfTokenIsHigher() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        acquire(0, RENEWED);
        granted(7);
        acquire(1, RENEWED);
        granted(6);
        assertThat(lease(0).state()).isEqualTo(LeaseState.HELD);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(RELEASED);
        granted(8);

        assertThat(lease(0).state()).isEqualTo(LeaseState.LOST);
        assertThat(lease(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void lossListener_registeredAfterExpiry_runsAfterStoreCommandIsSent() {
        acquire(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        acquire(1, RENEWED);
        scripted.suspend(LEASE);
        List<Boolean> storeCalled = new ArrayList<>();
        lease(0).onLoss(loss -> storeCalled.add(!scripted.isQuiet()));

        assertThat(storeCalled).containsExactly(true);
    }
}
