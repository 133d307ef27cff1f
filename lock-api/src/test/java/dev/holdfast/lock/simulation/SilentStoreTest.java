package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.Unprintable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine reports a silent store in time, although no reply comes: a command may be queued behind thousands of others. */
class SilentStoreTest extends ScriptedCaller {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(10);
    private static final LeaseOptions FIXED = new LeaseOptions(Duration.ofSeconds(6), false, Duration.ZERO, SECOND);

    @Test
    void unlimitedWait_onSilentStore_reportsUnavailableWithinElevenSeconds() {
        acquire(WaitPolicy.unlimited());

        scripted.pass(Duration.ofSeconds(10));
        assertThat(outcomes).isEmpty();
        scripted.pass(SECOND);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
        assertThat(scripted.timers()).isZero();
    }

    @Test
    void acquire_whenStoreFallsSilentAfterFailure_reportsThatFailure() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(SECOND);
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Acquire.class);

        scripted.pass(Duration.ofSeconds(10));
        assertThat(outcomes).singleElement().isInstanceOfSatisfying(AcquireResult.Unavailable.class, unavailable -> {
            assertThat(unavailable.message()).contains("no answer");
            assertThat(unavailable.cause()).hasMessage("no answer");
        });
    }

    @Test
    void acquire_whoseRepetitionCouldNotBeSent_isRepeated() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(BUSY);
        scripted.failSends(true);
        assertThatThrownBy(() -> scripted.pass(SECOND)).isInstanceOf(OutOfMemoryError.class);
        scripted.failSends(false);

        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    void acquire_whoseFailureCannotBePrinted_reportsIt() {
        acquire(WaitPolicy.unlimited());
        LockReply failure = new LockReply.Unavailable(new Unprintable());
        while (outcomes.isEmpty()) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.pass(SECOND);
            scripted.reply(failure);
        }
        assertThat(outcomes).singleElement().isInstanceOfSatisfying(AcquireResult.Unavailable.class, unavailable -> {
            assertThat(unavailable.message()).contains(Unprintable.class.getName());
            assertThat(unavailable.cause()).isInstanceOf(Unprintable.class);
        });
    }

    @Test
    void release_thatCouldNotBeSent_isRepeated() {
        LeaseHolder lease = granted();
        scripted.failSends(true);
        assertThatThrownBy(() -> lease.release(Lane.CALLER, RELEASE_TIMEOUT, releaseResults::add))
                .isInstanceOf(OutOfMemoryError.class);
        scripted.failSends(false);

        scripted.pass(SECOND);
        assertThat(scripted.isQuiet()).as("within a second nothing is sent").isFalse();
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(true));
        assertThat(releaseResults).singleElement().matches(ReleaseResult::answered);
    }

    @Test
    void acquireOnce_onSilentStore_reportsUnavailableWithinOneSecondOfCallTimeout() {
        acquire(WaitPolicy.once(CALL));

        scripted.pass(CALL);
        assertThat(outcomes).isEmpty();
        scripted.pass(SECOND);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void grant_afterCallerGotUnavailable_isReleased() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(11));
        scripted.reply(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class).name()).isEqualTo(JOB);
        assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void acquire_behindLocalHolder_isNotReportedUnavailable() {
        granted();
        outcomes.clear();
        acquire(WaitPolicy.unlimited());

        for (int renewal = 0; renewal < 10; renewal++) {
            scripted.expect(LockCommand.Renew.class);
            scripted.reply(GRANTED);
        }
        assertThat(outcomes).isEmpty();
    }

    @Test
    void acquire_whenStoreRepliesEveryNineSeconds_keepsWaiting() {
        acquire(WaitPolicy.unlimited());

        for (int attempt = 0; attempt < 10; attempt++) {
            scripted.expect(LockCommand.Acquire.class);
            scripted.pass(Duration.ofSeconds(9));
            scripted.reply(BUSY);
        }
        assertThat(outcomes).isEmpty();
    }

    @Test
    void release_onSilentStore_reportsUnansweredWithinElevenSecondsAndIsRepeated() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, RELEASE_TIMEOUT, releaseResults::add);
        LockCommand first = scripted.expect(LockCommand.Release.class);

        scripted.pass(Duration.ofSeconds(10));
        assertThat(releaseResults).isEmpty();
        scripted.pass(SECOND);
        assertThat(releaseResults).singleElement().matches(end -> !end.answered());
        scripted.replyUnavailable();
        assertThat(scripted.expect(LockCommand.Release.class))
                .as("it is repeated")
                .isEqualTo(first);
        assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
        scripted.reply(new LockReply.Released(true));

        scripted.pass(LEASE);
        assertThat(scripted.isQuiet()).isTrue();
        assertThat(scripted.timers()).isZero();
        assertThat(releaseResults).hasSize(1);
    }

    @Test
    void releaseOnce_onSilentStore_reportsUnansweredWithinOneSecondOfCallTimeout() {
        granted().release(Lane.CALLER, Duration.ZERO, releaseResults::add);

        scripted.pass(CALL);
        assertThat(releaseResults).isEmpty();
        scripted.pass(SECOND);
        assertThat(releaseResults).singleElement().matches(end -> !end.answered());
    }

    @Test
    void cleanupReleases_ofManyExpiredLeases_useCleanupLaneUpToLimit() {
        List<AcquireResult> granted = new ArrayList<>();
        for (int number = 0; number < 50_010; number++) {
            scripted.engine()
                    .acquire(new LockName("n" + number), FIXED, WaitPolicy.unlimited(), Lane.CALLER, granted::add);
            scripted.expect(LockCommand.Acquire.class);
            scripted.reply(new LockReply.Granted(1, FIXED.length()));
        }
        LeaseOptions kept = new LeaseOptions(FIXED.length(), false, FIXED.length(), SECOND);
        scripted.engine().acquire(JOB, kept, WaitPolicy.unlimited(), Lane.CALLER, granted::add);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Granted(1, FIXED.length()));

        scripted.pass(Duration.ofSeconds(7));

        assertThat(granted)
                .hasSize(50_011)
                .allMatch(outcome -> ((AcquireResult.Held) outcome).holder().state() == LeaseState.LOST);
        int releases = 0;
        boolean ofTheKept = false;
        for (; !scripted.isQuiet(); releases++) {
            assertThat(scripted.lane()).isEqualTo(Lane.CLEANUP);
            ofTheKept |= scripted.expect(LockCommand.Release.class).name().equals(JOB);
            scripted.reply(new LockReply.Released(false));
        }
        assertThat(releases).isBetween(50_000, 50_001);
        assertThat(ofTheKept).as("what keeps a minimum hold is never left out").isTrue();
    }
}
