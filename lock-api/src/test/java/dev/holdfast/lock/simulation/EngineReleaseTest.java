package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The exact commands the engine sends to end a lease, and the results it reports to the caller. */
class EngineReleaseTest extends ScriptedCaller {

    @Test
    void release_whenEngineIsAbandoned_reportsUnanswered() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, Duration.ofSeconds(10), releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.engine().close(() -> {});
        scripted.engine().abandon();

        assertThat(releaseResults)
                .singleElement()
                .extracting(ReleaseResult::answered)
                .isEqualTo(false);
    }

    @Test
    void release_whenFirstReplyIsLostAndRetryFindsNoLease_reportsHeld() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, Duration.ofSeconds(10), releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));

        assertThat(releaseResults).containsExactly(new ReleaseResult(true, true, null));
    }

    @Test
    void release_whenStoreFindsNoLease_reportsNotHeld() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, Duration.ofSeconds(10), releaseResults::add);
        scripted.expect(LockCommand.Release.class);
        scripted.reply(new LockReply.Released(false));

        assertThat(releaseResults).containsExactly(new ReleaseResult(true, false, null));
        assertThat(lease.release(Lane.CALLER, Duration.ZERO, releaseResults::add))
                .as("a second release")
                .isFalse();
    }

    @Test
    void release_whenUnanswered_reportsUnansweredAndIsRepeated() {
        LeaseHolder lease = granted();
        lease.release(Lane.CALLER, Duration.ZERO, releaseResults::add);
        LockCommand.Release release = scripted.expect(LockCommand.Release.class);
        scripted.replyUnavailable();

        assertThat(releaseResults)
                .singleElement()
                .extracting(ReleaseResult::answered)
                .isEqualTo(false);
        assertThat(scripted.expect(LockCommand.Release.class)).isEqualTo(release);
    }

    @Test
    void release_afterUnansweredAcquireAttempt_setsTombstone() {
        acquire(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, releaseResults::add);

        assertThat(scripted.expect(LockCommand.Release.class).tombstone()).isEqualTo(LEASE);
    }

    @Test
    void release_ofLeaseWithMinimumHold_carriesMinimumHold() {
        acquire(new LeaseOptions(LEASE, true, Duration.ofMinutes(5), CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        held().release(Lane.CALLER, Duration.ZERO, releaseResults::add);

        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void close_withHeldLeaseAndWaiter_endsBothAndRejectsNewAcquires() {
        LeaseHolder lease = granted();
        scripted.engine().acquire(OTHER, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(BUSY);
        boolean[] settled = new boolean[1];
        scripted.engine().close(() -> settled[0] = true);

        assertThat(outcomes).last().isEqualTo(new AcquireResult.Closed());
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        scripted.expect(LockCommand.Release.class);
        assertThat(settled[0]).isFalse();
        scripted.reply(new LockReply.Released(true));
        assertThat(settled[0]).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> acquire(WaitPolicy.unlimited()));
    }

    @Test
    void close_whoseReleasesCannotBeSent_endsEveryName() {
        LeaseHolder lease = granted();
        scripted.engine().acquire(OTHER, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        LeaseHolder other = ((AcquireResult.Held) outcomes.get(1)).holder();
        acquire(WaitPolicy.unlimited());
        scripted.engine().acquire(OTHER, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, outcomes::add);
        boolean[] settled = new boolean[1];

        scripted.failSends(true);
        assertThatThrownBy(() -> scripted.engine().close(() -> settled[0] = true))
                .isInstanceOf(OutOfMemoryError.class);
        scripted.failSends(false);
        assertThat(List.of(lease.state(), other.state())).containsOnly(LeaseState.RELEASED);
        assertThat(outcomes.subList(2, outcomes.size())).hasSize(2).containsOnly(new AcquireResult.Closed());
        for (int name = 0; name < 2; name++) {
            scripted.expect(LockCommand.Release.class);
            scripted.reply(new LockReply.Released(true));
        }
        assertThat(settled[0]).isTrue();
    }

    @Test
    void closeLimit_withMoreNames_isLonger() {
        assertThat(scripted.engine().closeLimit()).isEqualTo(Duration.ofSeconds(2));
        LeaseHolder unused = granted();

        assertThat(scripted.engine().closeLimit())
                .isEqualTo(Duration.ofSeconds(2).plusNanos(100_000));
    }
}
