package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Callers of a store that grants nothing for now, as a composite while it fails over. */
class SuspendedGrantsTest extends ScriptedWaitQueue {

    private static final Duration RETRY = Duration.ofSeconds(4);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final LockReply SUSPENDED =
            new LockReply.Unavailable(new GrantsSuspendedException("no store grants, as the test wants it", RETRY));

    private void suspended() {
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(SUSPENDED);
    }

    private void assertUnavailable() {
        assertThat(outcomes)
                .singleElement()
                .isInstanceOfSatisfying(
                        AcquireResult.Unavailable.class,
                        unavailable -> assertThat(unavailable.message()).contains("no store grants"));
    }

    @Test
    void limitedWait_whileGrantsAreSuspended_isNotToldThatTheLockIsBusy() {
        acquire(0, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        suspended();
        suspended();
        assertThat(outcomes).isEmpty();
        scripted.pass(Duration.ofSeconds(5));

        assertUnavailable();
    }

    @Test
    void wait_whileGrantsAreSuspendedForLongerThanAnOutageMayLast_goesOn() {
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        for (int i = 0; i < 10; i++) {
            suspended();
        }
        assertThat(outcomes).isEmpty();
        granted(7);

        assertThat(served).containsExactly(0);
        assertThat(scripted.log()).isEmpty();
    }

    @Test
    void wait_whenTheStoreIsSilentAfterItSuspendedGrants_endsWithTheOutage() {
        acquire(0, RENEWED);
        for (int i = 0; i < 5; i++) {
            suspended();
        }
        for (int i = 0; i < 20 && outcomes.isEmpty(); i++) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.replyUnavailable();
            scripted.pass(Duration.ofSeconds(1));
        }

        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void wait_whenTheStoreNotifiesThatItGrantsAgain_asksAtOnce() {
        acquire(0, RENEWED);
        suspended();
        scripted.notifyWaiters(Notification.ANY);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.reply(new LockReply.Granted(7, LEASE));
        assertThat(served).containsExactly(0);
    }

    @Test
    void acquireOnce_besideAWaiterWhileGrantsAreSuspended_isNotToldThatTheLockIsBusy() {
        acquire(0, RENEWED);
        suspended();
        acquireOnce();
        assertThat(outcomes).isEmpty();
        suspended();
        scripted.pass(CALL);

        assertUnavailable();
    }

    @Test
    void acquireOnce_whenGrantsAreNoLongerSuspended_isGranted() {
        acquireOnce();
        suspended();
        granted(7);

        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    void withdrawal_whileGrantsAreSuspended_releasesNothing() {
        Waiter waiter = acquire(0, RENEWED);
        suspended();
        waiter.withdraw();
        scripted.pass(LEASE);

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquireOnce_whenTheStoreIsSilentBeforeItSuspendsGrants_endsAfterTheTimeOfOneCall() {
        acquireOnce();
        passSilently(CALL.dividedBy(2));
        passSuspended(CALL.dividedBy(2));
        scripted.pass(CALL.dividedBy(4));

        assertUnavailable();
    }

    @Test
    void acquireOnce_whenTheStoreIsSilentAfterItSuspendedGrants_endsAfterTheTimeOfOneCall() {
        acquireOnce();
        passSuspended(CALL.dividedBy(2));
        passSilently(CALL.dividedBy(2));
        scripted.pass(CALL.dividedBy(4));

        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void acquireOnce_whenOnlyOneOfTwoRequestsKnowsThatGrantsAreSuspended_isNotToldThatTheLockIsBusy() {
        scripted = new ScriptedEngine(QUEUE_AND_NOTIFICATIONS, 1);
        acquire(0, RENEWED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        acquire(1, RENEWED);
        suspended();
        acquireOnce();

        assertThat(outcomes).isEmpty();
    }

    @Test
    void withdrawal_ofAnIdThatTheStoreMayHaveGrantedBeforeItSuspendedGrants_releasesIt() {
        Waiter waiter = acquire(0, RENEWED);
        LockCommand asked = scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        suspended();
        waiter.withdraw();

        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        assertThat(release.id()).isEqualTo(asked.id());
        assertThat(release.tombstone()).isEqualTo(LEASE);
    }

    @Test
    void withdrawal_ofAnIdThatHadAPlaceInAQueueBeforeGrantsWereSuspended_releasesIt() {
        Waiter waiter = acquire(0, RENEWED);
        LockCommand asked = scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        suspended();
        waiter.withdraw();

        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(asked.id());
    }

    @Test
    void wait_whenTheStoreNotifiesDuringAnAttemptThatItSuspends_asksAgainAtOnce() {
        acquire(0, RENEWED);
        suspended();
        scripted.expect(LockCommand.Acquire.class);
        scripted.notifyWaiters(Notification.ANY);
        scripted.reply(SUSPENDED);

        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void wait_whileGrantsAreSuspended_asksAsOftenAsTheStoreAdvises() {
        acquire(0, RENEWED);
        for (int i = 0; i < 3; i++) {
            suspended();
            scripted.pass(RETRY.minus(TICK));
            assertThat(scripted.isQuiet()).isTrue();
            scripted.pass(TICK);
            assertThat(scripted.isQuiet()).isFalse();
        }
    }

    @Test
    void limitedWait_whenTheLockIsBusyAfterGrantsWereSuspended_endsBusy() {
        acquire(0, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(8), CALL));
        suspended();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(QUEUED);
        scripted.pass(Duration.ofSeconds(8));

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }

    @Test
    void suspendedGrants_areNeitherAnOutageNorItsEnd() {
        acquire(0, RENEWED);
        passSilently(CALL.dividedBy(2));
        assertThat(scripted.log()).singleElement().asString().contains("has not answered");
        passSuspended(RETRY.multipliedBy(3));
        assertThat(scripted.log()).hasSize(1);
        granted(7);

        assertThat(scripted.log()).hasSize(2).last().asString().contains("answers again");
    }

    private void passSuspended(Duration time) {
        pass(time, SUSPENDED);
    }

    private void passSilently(Duration time) {
        pass(time, new LockReply.Unavailable(new IllegalStateException("no answer")));
    }

    private void pass(Duration time, LockReply reply) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(TICK)) {
            while (!scripted.isQuiet()) {
                scripted.reply(reply);
            }
            scripted.pass(TICK);
        }
    }
}
