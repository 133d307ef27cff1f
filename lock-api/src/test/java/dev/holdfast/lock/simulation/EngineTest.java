package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The exact commands the engine sends to a store; the random simulation sees only their consequences. */
class EngineTest extends ScriptedCaller {

    @Test
    void acquire_whenAttemptIsUnanswered_repeatsItWithSameId() {
        acquire(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();

        assertThat(scripted.expect(LockCommand.Acquire.class)).isEqualTo(first);
    }

    @Test
    void withdraw_afterUnansweredAttempt_releasesItsIdWithTombstoneUntilAnswered() {
        Waiter waiter = acquire(WaitPolicy.unlimited());
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        waiter.withdraw();

        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        assertThat(release).isEqualTo(new LockCommand.Release(JOB, acquire.id(), Duration.ZERO, LEASE));
        scripted.replyUnavailable();
        assertThat(scripted.expect(LockCommand.Release.class))
                .as("repeated until answered")
                .isEqualTo(release);
        scripted.reply(new LockReply.Released(false));
        scripted.pass(Duration.ofMinutes(2));
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void withdraw_whileAttemptIsInFlight_releasesLeaseGrantedLater() {
        Waiter waiter = acquire(WaitPolicy.unlimited());
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        waiter.withdraw();
        assertThat(scripted.expect(LockCommand.Acquire.class))
                .as("nothing before the answer")
                .isSameAs(acquire);
        scripted.reply(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, acquire.id(), Duration.ZERO, Duration.ZERO));
        assertThat(outcomes).containsExactly(new AcquireResult.Withdrawn());
    }

    @Test
    void withdraw_afterBusyReply_sendsNothing() {
        Waiter waiter = acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(BUSY);
        waiter.withdraw();

        scripted.pass(Duration.ofMinutes(1));
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void acquireOnce_whenBusyAfterUnansweredAttempt_releasesItsIdWithTombstone() {
        acquire(WaitPolicy.once(CALL));
        LockCommand.Acquire acquire = scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(BUSY);

        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, acquire.id(), Duration.ZERO, LEASE));
    }

    @Test
    void acquire_whenItsIdIsGone_retriesWithNewId() {
        acquire(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.reply(new LockReply.Gone());

        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(first.id());
    }

    @Test
    void acquire_whenGrantArrivesAfterExpiry_releasesItAndRetriesWithNewId() {
        acquire(WaitPolicy.unlimited());
        LockCommand.Acquire first = scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(5));
        scripted.reply(new LockReply.Granted(7, Duration.ofSeconds(5)));

        assertThat(outcomes).isEmpty();
        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(first.id());
        scripted.reply(new LockReply.Released(false));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(first.id());
    }

    @Test
    void withdraw_beforeGrantWithMinimumHold_releasesWithoutMinimumHold() {
        Waiter waiter = acquire(new LeaseOptions(LEASE, true, Duration.ofMinutes(5), CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        waiter.withdraw();
        scripted.reply(GRANTED);

        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isZero();
    }

    @Test
    void shortWait_onAnsweringStore_isNotReportedUnavailable() {
        acquire(WaitPolicy.upTo(Duration.ofMillis(3), CALL));
        scripted.pass(Duration.ofMillis(5));
        scripted.reply(GRANTED);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Held.class);

        outcomes.clear();
        ScriptedEngine other = new ScriptedEngine();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofMillis(200), CALL), Lane.CALLER, outcomes::add);
        other.reply(new LockReply.Busy(Duration.ofSeconds(11)));
        other.pass(Duration.ofMillis(200));
        assertThat(outcomes).as("the pause was the store's own advice").containsExactly(new AcquireResult.Busy());
    }

    @Test
    void callTimeout_withLimitedWait_isShortenedForFirstAttemptOnly() {
        acquire(WaitPolicy.unlimited());
        for (int attempt = 0; attempt < 50; attempt++) {
            scripted.expect(LockCommand.Acquire.class);
            assertThat(scripted.timeout()).isEqualTo(CALL);
            scripted.reply(new LockReply.Busy(Duration.ofSeconds(1)));
        }
        ScriptedEngine other = new ScriptedEngine();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(1), CALL), Lane.CALLER, outcomes::add);
        other.expect(LockCommand.Acquire.class);
        assertThat(other.timeout()).isEqualTo(Duration.ofSeconds(1));
        other.reply(BUSY);
        other.expect(LockCommand.Acquire.class);
        assertThat(other.timeout()).isEqualTo(CALL);
    }

    @Test
    void acquire_whenOutageLastsUntilEndOfWait_reportsUnavailable() {
        acquire(WaitPolicy.upTo(Duration.ofSeconds(3), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(BUSY);
        scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        scripted.pass(Duration.ofSeconds(3));

        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void acquireOnce_whenEveryReplyIsGone_reportsUnavailable() {
        acquire(WaitPolicy.once(CALL));
        while (outcomes.isEmpty()) {
            scripted.expect(LockCommand.class);
            scripted.reply(new LockReply.Gone());
        }
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }

    @Test
    void acquire_atEndOfWait_reportsUnavailableIfStoreIsSilentAndBusyIfItReplied() {
        acquire(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.pass(Duration.ofSeconds(5));
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);

        ScriptedEngine other = new ScriptedEngine();
        outcomes.clear();
        other.engine().acquire(JOB, RENEWED, WaitPolicy.upTo(Duration.ofSeconds(5), CALL), Lane.CALLER, outcomes::add);
        other.expect(LockCommand.Acquire.class);
        other.pass(Duration.ofSeconds(3));
        other.reply(BUSY);
        other.pass(Duration.ofSeconds(2));
        assertThat(outcomes).containsExactly(new AcquireResult.Busy());
    }
}
