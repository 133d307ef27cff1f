package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseOptions;
import dev.holdfast.lock.internal.engine.WaitPolicy;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** In which order those who want the same name in one process wait, and which place in the store is theirs. */
class WaitQueueTest extends ScriptedWaitQueue {

    @Test
    void manyWaitersHaveOnePlaceInTheStore() {
        for (int i = 0; i < 100; i++) {
            ask(i, RENEWED);
        }
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);

        scripted.pass(Duration.ofSeconds(4));

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void whoGivesUpLeavesItsPlaceToTheNext() {
        Waiter first = ask(0, RENEWED);
        ask(1, RENEWED);
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        first.withdraw();
        assertThat(scripted.isQuiet()).isTrue();

        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(asked.id());
        granted(7);
        assertThat(served).containsExactly(1);
    }

    @Test
    void theLastToGiveUpTakesThePlaceAway() {
        Waiter only = ask(0, RENEWED);
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        only.withdraw();

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, asked.id(), Duration.ZERO, Duration.ZERO));
    }

    @Test
    void aPlaceInDoubtIsNotTakenOverForALeaseOfAnotherLength() {
        Waiter first = ask(0, RENEWED);
        ask(1, new LeaseOptions(LEASE.dividedBy(2), false, Duration.ZERO, CALL));
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answerNothing();
        first.withdraw();

        assertThat(scripted.expect(LockCommand.Release.class))
                .isEqualTo(new LockCommand.Release(JOB, asked.id(), Duration.ZERO, LEASE));
        scripted.answer(new LockReply.Released(false));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isNotEqualTo(asked.id());
    }

    @Test
    void withoutHandOffsEachWaiterHasItsOwnPlaceAndTheFirstGetsWhateverIsGranted() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        Waiter first = ask(0, RENEWED);
        ask(1, RENEWED);
        ask(2, RENEWED);
        List<AcquisitionId> places = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            places.add(scripted.expect(LockCommand.Acquire.class).id());
            scripted.answer(WAITING);
        }
        assertThat(places).doesNotHaveDuplicates();

        first.withdraw();
        assertThat(scripted.expect(LockCommand.Release.class).id())
                .as("the place of the one that left")
                .isEqualTo(places.get(0));
        scripted.answer(new LockReply.Released(false));
        scripted.signal(Notification.of(JOB, places.get(2)));
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(places.get(2));
        granted(7);
        assertThat(served).containsExactly(1);
        release(1);
        scripted.expect(LockCommand.Release.class);
    }

    @Test
    void withoutHandOffsTheNextAsksWithTheReleaseAndNeedsNoSignal() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        AcquisitionId next = scripted.expect(LockCommand.Acquire.class).id();
        scripted.answer(WAITING);
        assertThat(scripted.isQuiet()).isTrue();

        release(0);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        assertThat(scripted.expect(LockCommand.Acquire.class).id()).isEqualTo(next);
        scripted.answer(new LockReply.Granted(8, LEASE));
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void whereOthersComeInBetweenTheNextIsLeftToTheSignal() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        ask(0, RENEWED);
        ask(1, RENEWED);
        ask(2, RENEWED);
        granted(7);
        AcquisitionId next = scripted.expect(LockCommand.Acquire.class).id();
        scripted.answer(WAITING);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);

        release(0);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Notification.of(JOB, next));
        granted(8);
        assertThat(served).containsExactly(0, 1);

        release(1);
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void aGrantOfAnotherLengthThanIsWantedByNowIsGivenBackAndIsNoSilence() {
        Waiter first = ask(0, new LeaseOptions(LEASE, false, Duration.ZERO, CALL));
        ask(
                1,
                new LeaseOptions(LEASE.dividedBy(2), false, Duration.ZERO, CALL),
                WaitPolicy.upTo(Duration.ofMillis(30), CALL));
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        first.withdraw();
        scripted.pass(Duration.ofMillis(25));
        scripted.answer(new LockReply.Granted(7, LEASE));

        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(asked.id());
        scripted.answer(RELEASED);
        assertThat(scripted.expect(LockCommand.Acquire.class).lease()).isEqualTo(LEASE.dividedBy(2));
        scripted.pass(Duration.ofMillis(5));
        assertThat(outcomes).containsExactly(new AcquireResult.Withdrawn(), new AcquireResult.Busy());
    }

    @Test
    void aPlaceIsGivenUpAlsoAfterItsWaiterHasAskedForTheLastTime() {
        Waiter first = ask(0, RENEWED);
        LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
        scripted.answer(WAITING);
        ask(1, RENEWED, WaitPolicy.upTo(Duration.ofMillis(40), CALL));
        first.withdraw();
        scripted.pass(Duration.ofMillis(50));
        scripted.signal(Notification.ANY);
        scripted.answer(new LockReply.Busy(Duration.ofMillis(50)));

        assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(asked.id());
    }

    @Test
    void whoTimesOutInTheMomentOfItsGrantOwnsItOrLeavesItToTheNext() {
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 16);
            outcomes.clear();
            served.clear();
            ask(0, RENEWED, WaitPolicy.upTo(Duration.ofMillis(500), CALL));
            ask(1, RENEWED);
            LockCommand.Acquire asked = scripted.expect(LockCommand.Acquire.class);
            scripted.answer(WAITING);
            scripted.pass(Duration.ofMillis(499));
            scripted.signal(Notification.ANY);
            scripted.pass(Duration.ofMillis(random.nextInt(3)));
            granted(7);

            boolean inTime = outcomes.get(0) instanceof AcquireResult.Held;
            assertThat(outcomes).as("seed %d", seed).hasSize(inTime ? 1 : 2);
            if (inTime) {
                release(0);
            }
            assertThat(served).last().as("seed %d", seed).isEqualTo(1);
            assertThat(hold(outcomes.size() - 1).state()).isEqualTo(LeaseState.HELD);
            release(outcomes.size() - 1);
            assertThat(scripted.expect(LockCommand.Release.class).id()).isEqualTo(asked.id());
        }
    }

    @Test
    void closingEndsTheWholeLine() {
        ask(0, RENEWED);
        granted(7);
        ask(1, RENEWED);
        ask(2, RENEWED);
        scripted.engine().close(() -> {});

        assertThat(hold(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(outcomes).endsWith(new AcquireResult.Closed(), new AcquireResult.Closed());
        scripted.expect(LockCommand.Release.class);
        scripted.answer(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }
}
