package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Whose thread asks when the store has signalled. */
class LentThreadTest extends ScriptedWaitQueue {

    /** A thread that carries out what it is lent for when the test says so. */
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

    private Waiter askAndWait(Caller its, WaitPolicy patience) {
        Waiter waiter = scripted.engine().acquire(JOB, RENEWED, patience, Lane.CALLER, its);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        return waiter;
    }

    @Test
    void itIsThatOfWhoeverWaits() {
        askAndWait(thread, WaitPolicy.unlimited());
        scripted.signal(Notification.ANY);
        assertThat(scripted.isQuiet()).isTrue();

        thread.lent.remove().run();

        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.answer(new LockReply.Granted(7, LEASE));
        assertThat(outcomes).hasOnlyElementsOfType(AcquireResult.Held.class).hasSize(1);
    }

    @Test
    void itIsNobodysIfWhoWaitsHasSomethingElseToDo() {
        thread.busy = true;
        askAndWait(thread, WaitPolicy.unlimited());
        scripted.signal(Notification.ANY);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(thread.lent).isEmpty();
    }

    @Test
    void itIsNobodysWhereTheWaitMayBeOverBeforeTheCall() {
        askAndWait(thread, WaitPolicy.upTo(Duration.ofSeconds(4), CALL));
        scripted.pass(Duration.ofMillis(1_001));
        scripted.signal(Notification.ANY);

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(scripted.timeout()).isEqualTo(CALL);
        assertThat(thread.lent).isEmpty();
    }

    @Test
    void itIsNobodysWhereTheThreadHasComeTooLateForThat() {
        askAndWait(thread, WaitPolicy.upTo(Duration.ofSeconds(4), CALL));
        scripted.pass(Duration.ofSeconds(1));
        scripted.signal(Notification.ANY);
        scripted.pass(Duration.ofMillis(1));
        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        assertThat(scripted.timeout()).isEqualTo(CALL);
    }

    @Test
    void aSignalIsNotLostIfWhoeverWasToAskHasGivenUp() {
        Waiter waiter = askAndWait(thread, WaitPolicy.unlimited());
        Caller other = new Caller();
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, other);
        scripted.signal(Notification.ANY);
        waiter.withdraw();

        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
    }

    @Test
    void itAsksNothingOnceNobodyWaits() {
        Waiter waiter = askAndWait(thread, WaitPolicy.unlimited());
        scripted.signal(Notification.ANY);
        waiter.withdraw();
        scripted.expect(LockCommand.Release.class);
        scripted.answer(new LockReply.Released(false));

        thread.lent.remove().run();

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void itAsksNothingWhileAnotherAttemptIsOnItsWay() {
        askAndWait(thread, WaitPolicy.unlimited());
        scripted.signal(Notification.ANY);
        scripted.pass(Duration.ofSeconds(5)); // it is time to ask again anyway
        scripted.expect(LockCommand.Acquire.class);

        thread.lent.remove().run();

        scripted.answer(WAITING);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void aThreadThatNeverComesCostsTimeOnly() {
        askAndWait(thread, WaitPolicy.unlimited());
        scripted.signal(Notification.ANY);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void withoutHandOffsTheTurnIsGivenBackByItsHolderUnlessAnotherAsksInTheSameCall() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        granted(1);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);

        release(0); // the next one is asked for in the same call, as it may be the next
        scripted.expect(LockCommand.Release.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        scripted.answer(RELEASED);
        assertThat(scripted.isQuiet()).isFalse();
        scripted.expect(LockCommand.Acquire.class);
        assertThat(scripted.lane()).isEqualTo(Lane.BACKGROUND);
        scripted.answer(WAITING); // it was not
        scripted.signal(Notification.ANY);
        thread.lent.remove().run();
        granted(2);
        scripted.engine().acquire(JOB, RENEWED, WaitPolicy.unlimited(), Lane.CALLER, thread);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);

        release(1);
        scripted.expect(LockCommand.Release.class);
        assertThat(scripted.lane()).isEqualTo(Lane.CALLER);
        scripted.answer(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }
}
