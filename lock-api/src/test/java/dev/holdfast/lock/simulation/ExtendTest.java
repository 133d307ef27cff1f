package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.ExtendResult;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an extension does to the end of a fixed lease, and what its caller is told. */
class ExtendTest extends ScriptedCaller {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final LockReply FOR_A_MINUTE = new LockReply.Granted(7, MINUTE);
    private static final Duration MINIMUM = Duration.ofSeconds(5);

    private final List<ExtendResult> results = new ArrayList<>();

    private LeaseHolder fixed() {
        acquire(new LeaseOptions(LEASE, false, MINIMUM, CALL), WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.reply(GRANTED);
        return held();
    }

    private boolean extend(Duration length) {
        return held().extend(length, Lane.CALLER, results::add);
    }

    private static ExtendResult extended() {
        return new ExtendResult.Extended();
    }

    /** What is left of a lease of this length that was confirmed by a request sent so long ago. */
    private static Duration left(Duration length, Duration ago) {
        return length.minus(length.dividedBy(1_000)).minus(ago);
    }

    @Test
    void end_ofExtendedLease_countsFromSendingOfRequest() {
        LeaseHolder lease = fixed();
        scripted.pass(Duration.ofSeconds(10));
        assertThat(extend(MINUTE)).isTrue();
        LockCommand.Renew command = scripted.expect(LockCommand.Renew.class);
        assertThat(command.lease()).isEqualTo(MINUTE);
        assertThat(results).isEmpty();
        scripted.pass(Duration.ofSeconds(2));
        scripted.reply(FOR_A_MINUTE);

        assertThat(results).containsExactly(extended());
        assertThat(lease.remaining()).isEqualTo(left(MINUTE, Duration.ofSeconds(2)));
        scripted.pass(lease.remaining().minusMillis(1));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        scripted.pass(Duration.ofMillis(1));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(lease.loss()).hasMessageContaining("no further extension was confirmed in time");
    }

    /** The former end comes later by the monotonic clock, which stood still, and sooner by the wall clock. */
    @Test
    void extend_afterSuspension_lastsForWhatWasConfirmed() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(FOR_A_MINUTE);
        scripted.suspend(Duration.ofMillis(100));

        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Granted(7, MINUTE.minusMillis(5))); // as rounded by a store

        assertThat(lease.remaining()).isEqualTo(left(MINUTE.minusMillis(5), Duration.ZERO));
    }

    @Test
    void extend_whenStoreIsSilent_isRepeatedAndLeavesTheFormerEnd() {
        LeaseHolder lease = fixed();
        Duration before = lease.remaining();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.replyUnavailable();
        scripted.expect(LockCommand.Renew.class);
        scripted.pass(Duration.ofSeconds(4));

        assertThat(results)
                .hasOnlyElementsOfType(ExtendResult.Unconfirmed.class)
                .hasSize(1);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        scripted.reply(FOR_A_MINUTE);
        assertThat(lease.remaining()).as("after a late answer").isLessThan(before.minusSeconds(4));
        assertThat(results).hasSize(1);
        scripted.pass(lease.remaining());
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void extend_whenLeaseEndsMeanwhile_neverBringsItBack() {
        LeaseHolder lease = fixed();
        List<LockLostException> losses = new ArrayList<>();
        lease.onLoss(losses::add);
        scripted.pass(lease.remaining().minusMillis(50));
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.pass(Duration.ofMillis(50));

        assertThat(results).containsExactly(new ExtendResult.Ended());
        assertThat(losses).hasSize(1);
        scripted.reply(FOR_A_MINUTE);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(results).hasSize(1);
        assertThat(extend(MINUTE)).isFalse();
    }

    @Test
    void extend_whenAnswerComesAfterTheEndAndBeforeTheTimers_neverBringsItBack() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.standStill(LEASE.plusSeconds(1));

        scripted.reply(FOR_A_MINUTE);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(results).doesNotContain(extended());
    }

    @Test
    void loss_ofExtendedLease_isReleasedForAsLongAsTheStoreMayKeepIt() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.pass(lease.remaining());
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        scripted.reply(new LockReply.Unavailable(new IllegalStateException("no answer")));

        for (int repetition = 1; repetition <= 18; repetition++) { // 3 s each, of the 63 s
            scripted.expect(LockCommand.Release.class);
            scripted.pass(Duration.ofSeconds(2));
            scripted.replyUnavailable();
        }
        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(MINIMUM);
    }

    @Test
    void extend_whenStoreFindsNoLease_losesItAtOnce() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Gone());

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(results).containsExactly(new ExtendResult.Ended());
    }

    @Test
    void extend_whenLeaseIsReleasedMeanwhile_ends() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        assertThat(lease.release(Lane.CALLER, Duration.ZERO, releaseResults::add))
                .isTrue();

        assertThat(results).containsExactly(new ExtendResult.Ended());
        scripted.reply(FOR_A_MINUTE);
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(scripted.expect(LockCommand.Release.class).minimumHold()).isEqualTo(MINIMUM);
    }

    @Test
    void extensions_ofOneLease_areSentOneAfterTheOther() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINUTE)).isTrue();
        assertThat(extend(Duration.ofSeconds(40))).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(FOR_A_MINUTE);
        assertThat(results).containsExactly(extended());
        assertThat(scripted.expect(LockCommand.Renew.class).lease()).isEqualTo(Duration.ofSeconds(40));
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        scripted.reply(FOR_A_MINUTE);

        assertThat(results).containsExactly(extended(), extended());
        assertThat(lease.remaining()).isEqualTo(left(MINUTE, Duration.ZERO));
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void extend_whoseTurnNeverComes_endsInTime() {
        fixed();
        assertThat(extend(MINUTE)).isTrue();
        scripted.pass(Duration.ofSeconds(1));
        assertThat(extend(MINUTE)).isTrue();
        scripted.pass(Duration.ofSeconds(5));

        assertThat(results)
                .hasOnlyElementsOfType(ExtendResult.Unconfirmed.class)
                .hasSize(2);
    }

    @Test
    void extend_toShorterLength_keepsTheEnd() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINIMUM)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.pass(Duration.ofSeconds(1));
        scripted.reply(new LockReply.Granted(7, Duration.ofMillis(29_500)));

        assertThat(results).containsExactly(extended());
        assertThat(lease.remaining()).isEqualTo(left(LEASE, Duration.ofSeconds(1)));
    }

    @Test
    void extend_whenStoreHasForgottenALongerEnd_believesTheStore() {
        LeaseHolder lease = fixed();
        assertThat(extend(MINIMUM)).isTrue();
        scripted.expect(LockCommand.Renew.class);
        scripted.reply(new LockReply.Granted(7, MINIMUM));

        assertThat(lease.remaining()).isEqualTo(left(MINIMUM, Duration.ZERO));
    }

    @Test
    void extend_whenConfirmedForLess_isRepeatedAndThenUnconfirmed() {
        LeaseHolder lease = fixed();
        Duration before = lease.remaining();
        assertThat(extend(MINUTE)).isTrue();
        while (results.isEmpty()) { // as a composite answers between two stores
            scripted.expect(LockCommand.Renew.class);
            scripted.reply(new LockReply.Granted(7, lease.remaining()));
            scripted.pass(Duration.ofMillis(1_300));
        }

        assertThat(results.get(0))
                .isInstanceOfSatisfying(
                        ExtendResult.Unconfirmed.class,
                        result -> assertThat(result.cause()).hasMessageContaining("but only for"));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.remaining()).isBetween(before.minusSeconds(6), before.minusSeconds(1));
    }
}
