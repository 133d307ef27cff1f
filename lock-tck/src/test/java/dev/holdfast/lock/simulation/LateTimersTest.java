package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.ReleaseResult;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.testing.StandardError;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Callers hear of a silent store, and of no other, though timers come late or are not to be had. */
class LateTimersTest extends ScriptedCaller {

    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Whatever is due by now has its turn, and nothing else. */
    private static final Duration TIMERS_FIRST = Duration.ZERO;

    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(10);

    @Test
    void afterAStandstillAReplyThatHasArrivedComesBeforeTheTimers() {
        ask(WaitPolicy.unlimited());
        scripted.expect(LockCommand.Acquire.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(outcomes).isEmpty();
        scripted.answer(GRANTED);
        Holder hold = held();

        hold.release(Lane.CALLER, RELEASE_PATIENCE, ends::add);
        scripted.expect(LockCommand.Release.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(ends).isEmpty();
        scripted.answer(new LockReply.Released(true));
        assertThat(ends).singleElement().matches(ReleaseResult::answered);
    }

    @Test
    void afterAStandstillAWaitEndsByTheReplyThatHasArrived() {
        ask(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.expect(LockCommand.Acquire.class);
        scripted.standStill(Duration.ofSeconds(20));
        scripted.pass(TIMERS_FIRST);
        assertThat(outcomes).isEmpty();
        scripted.answer(BUSY);
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Busy.class);
    }

    @Test
    void afterAStandstillASilentStoreIsToldOfWithinASecond() {
        Holder hold = granted();
        outcomes.clear();
        hold.release(Lane.CALLER, RELEASE_PATIENCE, ends::add);
        scripted.expect(LockCommand.Release.class);
        ask(WaitPolicy.unlimited());
        ask(WaitPolicy.upTo(Duration.ofSeconds(5), CALL));
        scripted.standStill(Duration.ofSeconds(20));

        scripted.pass(SECOND);
        assertThat(outcomes).hasSize(2).allMatch(AcquireResult.Unavailable.class::isInstance);
        assertThat(ends).singleElement().matches(end -> !end.answered());
    }

    @Test
    void theNextCallerIsLimitedThoughTheOneBeforeItGotNoTimer() {
        ask(WaitPolicy.unlimited());
        scripted.exhaust(true);
        assertThatThrownBy(() -> ask(WaitPolicy.once(CALL))).isInstanceOf(OutOfMemoryError.class);
        scripted.exhaust(false);
        outcomes.clear();
        ask(WaitPolicy.unlimited());

        scripted.pass(Duration.ofSeconds(11));
        assertThat(outcomes).hasSize(2).allMatch(AcquireResult.Unavailable.class::isInstance);
    }

    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void aCallerIsToldThoughNoTimerIsToBeHadForTheOthers() {
        ask(WaitPolicy.unlimited());
        ask(WaitPolicy.once(CALL));
        scripted.exhaust(true);

        try (StandardError printed = StandardError.listen()) {
            scripted.pass(Duration.ofSeconds(4));
            assertThat(printed.lines()).anyMatch(line -> line.endsWith("CoalescingTimer - the task of a timer failed"));
        }
        assertThat(outcomes).singleElement().isInstanceOf(AcquireResult.Unavailable.class);
    }
}
