package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.Ended;
import dev.holdfast.lock.internal.Hold;
import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.internal.Patience;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.internal.Waiter;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How those who want the same name in one process wait for each other, and what the store hears of them. */
class LineTest {

    private static final LockName JOB = new LockName("job");
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration CALL = Duration.ofSeconds(3);
    private static final Terms RENEWED = new Terms(LEASE, true, Duration.ZERO, CALL);
    private static final Answer WAITING = new Answer.Waiting(Duration.ofSeconds(5));
    private static final Answer RELEASED = new Answer.Released(true);
    private static final Set<Capability> QUEUE_AND_SIGNALS = Set.of(Capability.QUEUE, Capability.SIGNALS);

    private ScriptedEngine scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 3);
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<Integer> served = new ArrayList<>();
    private final List<Ended> ends = new ArrayList<>();

    @Test
    void manyWaitersHaveOnePlaceInTheStore() {
        for (int i = 0; i < 100; i++) {
            ask(i, RENEWED);
        }
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);

        scripted.pass(Duration.ofSeconds(4));

        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void theLockGoesFromWaiterToWaiterInTheirOrderAndThenBackToTheStore() {
        for (int i = 0; i < 5; i++) {
            ask(i, RENEWED);
        }
        granted(7);
        release(0);
        release(1);
        assertThat(scripted.isQuiet()).as("the store hears nothing of it").isTrue();
        release(2);

        assertThat(served).containsExactly(0, 1, 2);
        assertThat(tokens()).containsExactly(7L << 8, 7L << 8 | 1, 7L << 8 | 2);
        scripted.expect(Step.Release.class);
        scripted.answer(RELEASED);
        scripted.expect(Step.Acquire.class);
        granted(8);
        assertThat(served).containsExactly(0, 1, 2, 3);
        assertThat(tokens()).last().isEqualTo(8L << 8);
    }

    @Test
    void aReleaseByHandOffSaysThatTheLockWasHeld() {
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        release(0);

        assertThat(ends).containsExactly(new Ended(true, true, null));
        assertThat(hold(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(hold(0).release(Lane.CALLER, Duration.ZERO, ends::add))
                .as("a second release")
                .isFalse();
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void aTurnEndsAfterTwentyMilliseconds() {
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        scripted.pass(Duration.ofMillis(20));
        release(0);

        scripted.expect(Step.Release.class);
        assertThat(served).containsExactly(0);
    }

    @Test
    void onlyLikeIsHandedToLike() {
        List<Terms> unlike = List.of(
                new Terms(LEASE.plusSeconds(1), true, Duration.ZERO, CALL),
                new Terms(LEASE, false, Duration.ZERO, CALL),
                new Terms(LEASE, true, Duration.ofSeconds(1), CALL));
        for (Terms other : unlike) {
            expectNoHandOff(RENEWED, other);
            expectNoHandOff(other, RENEWED);
        }
        expectNoHandOff(unlike.get(1), unlike.get(1));
        expectNoHandOff(unlike.get(2), unlike.get(2));
    }

    private void expectNoHandOff(Terms first, Terms second) {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 3);
        outcomes.clear();
        served.clear();
        ask(0, first);
        ask(1, second);
        granted(7);
        release(0);
        assertThat(scripted.expect(Step.Release.class).keep()).isEqualTo(first.minimumHold());
        assertThat(served).containsExactly(0);
    }

    @Test
    void anUnconfirmedLeaseIsNotHandedOn() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 16);
        Terms brief = new Terms(Duration.ofMillis(50), true, Duration.ZERO, Duration.ofMillis(10));
        ask(0, brief);
        ask(1, brief);
        scripted.expect(Step.Acquire.class);
        scripted.answer(new Answer.Granted(7, Duration.ofMillis(50)));
        scripted.expect(Step.Renew.class);
        scripted.answerNothing();
        assertThat(hold(0).state()).isEqualTo(LeaseState.UNCONFIRMED);
        release(0);

        assertThat(served).containsExactly(0);
        scripted.expect(Step.Release.class);
    }

    @Test
    void aLossIsToldToThePresentHolderOnce() {
        List<String> told = new ArrayList<>();
        ask(0, RENEWED);
        ask(1, RENEWED);
        granted(7);
        hold(0).onLoss(loss -> told.add("first"));
        release(0);
        hold(1).onLoss(loss -> told.add("second"));
        hold(0).onLoss(loss -> told.add("first again"));

        scripted.expect(Step.Renew.class);
        scripted.pass(LEASE);

        assertThat(told).containsExactly("second");
        assertThat(hold(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(hold(1).state()).isEqualTo(LeaseState.LOST);
        LockLostException loss = hold(1).loss();
        assertThat(loss).hasMessageContaining(Long.toString(7L << 8 | 1));
    }

    @Test
    void afterALossWhoeverWaitsAsksTheStore() {
        ask(0, RENEWED);
        granted(7);
        ask(1, RENEWED);
        assertThat(scripted.isQuiet()).isTrue();
        scripted.expect(Step.Renew.class);
        scripted.answer(new Answer.Gone());

        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
        scripted.expect(Step.Release.class);
        scripted.answer(RELEASED);
        scripted.expect(Step.Acquire.class);
        granted(9);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void whoAsksOnceIsRefusedWithoutTheStoreWhileTheLockIsHeldOrWaitedForHere() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        askOnce();
        assertThat(outcomes).containsExactly(new Outcome.Busy());
        assertThat(scripted.isQuiet()).isTrue();

        scripted.pass(Duration.ofSeconds(5));
        granted(7);
        askOnce();
        assertThat(outcomes).last().isEqualTo(new Outcome.Busy());
        assertThat(scripted.isQuiet()).isTrue();
    }

    @Test
    void whoAsksOnceNeverOvertakesWhoHasNotBeenAnsweredYet() {
        ask(0, RENEWED);
        askOnce();
        granted(7);

        assertThat(served).containsExactly(0);
        assertThat(outcomes).last().isEqualTo(new Outcome.Busy());
    }

    @Test
    void whoAsksOnceBehindWaitersOfASilentStoreIsToldOfTheSilence() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.pass(CALL);
        scripted.answerNothing();
        askOnce();
        while (outcomes.isEmpty()) {
            scripted.expect(Step.Acquire.class);
            scripted.pass(Duration.ofSeconds(1));
            scripted.answerNothing();
        }

        assertThat(outcomes.get(0)).isInstanceOf(Outcome.Unavailable.class);
    }

    @Test
    void aStoreThatAnswersAgainIsSilentNoMore() {
        ask(0, RENEWED, Patience.of(Duration.ofMinutes(1), CALL));
        scripted.expect(Step.Acquire.class);
        scripted.pass(Duration.ofSeconds(3));
        scripted.answerNothing();
        for (int i = 0; i < 11; i++) {
            scripted.expect(Step.Acquire.class);
            scripted.answer(WAITING);
        }
        scripted.expect(Step.Acquire.class);
        scripted.answerNothing();
        assertThat(outcomes).as("silent for a moment").isEmpty();
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.pass(Duration.ofSeconds(5));

        assertThat(outcomes).containsExactly(new Outcome.Busy());
    }

    @Test
    void aShortWaitBehindAnAttemptThatTakesAMomentIsNoOutage() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        ask(1, RENEWED, Patience.of(Duration.ofNanos(1), CALL));
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        scripted.pass(Duration.ofMillis(39));

        assertThat(outcomes).containsExactly(new Outcome.Busy());
    }

    @Test
    void whoGivesUpLeavesItsPlaceToTheNext() {
        Waiter first = ask(0, RENEWED);
        ask(1, RENEWED);
        Step.Acquire asked = scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        first.withdraw();
        assertThat(scripted.isQuiet()).isTrue();

        assertThat(scripted.expect(Step.Acquire.class).id()).isEqualTo(asked.id());
        granted(7);
        assertThat(served).containsExactly(1);
    }

    @Test
    void theLastToGiveUpTakesThePlaceAway() {
        Waiter only = ask(0, RENEWED);
        Step.Acquire asked = scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        only.withdraw();

        assertThat(scripted.expect(Step.Release.class))
                .isEqualTo(new Step.Release(JOB, asked.id(), Duration.ZERO, Duration.ZERO));
    }

    @Test
    void aPlaceInDoubtIsNotTakenOverForALeaseOfAnotherLength() {
        Waiter first = ask(0, RENEWED);
        ask(1, new Terms(LEASE.dividedBy(2), false, Duration.ZERO, CALL));
        Step.Acquire asked = scripted.expect(Step.Acquire.class);
        scripted.answerNothing();
        first.withdraw();

        assertThat(scripted.expect(Step.Release.class))
                .isEqualTo(new Step.Release(JOB, asked.id(), Duration.ZERO, LEASE));
        scripted.answer(new Answer.Released(false));
        assertThat(scripted.expect(Step.Acquire.class).id()).isNotEqualTo(asked.id());
    }

    @Test
    void withoutHandOffsEachWaiterHasItsOwnPlaceAndTheFirstGetsWhateverIsGranted() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        Waiter first = ask(0, RENEWED);
        ask(1, RENEWED);
        ask(2, RENEWED);
        List<AcquisitionId> places = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            places.add(scripted.expect(Step.Acquire.class).id());
            scripted.answer(WAITING);
        }
        assertThat(places).doesNotHaveDuplicates();

        first.withdraw();
        assertThat(scripted.expect(Step.Release.class).id())
                .as("the last place goes")
                .isEqualTo(places.get(2));
        scripted.answer(new Answer.Released(false));
        scripted.signal(Signal.to(JOB, places.get(0)));
        assertThat(scripted.expect(Step.Acquire.class).id()).isEqualTo(places.get(0));
        granted(7);
        assertThat(served).containsExactly(1);
        release(1);
        scripted.expect(Step.Release.class);
    }

    @Test
    void aTurnThatTheStoreHasGivenToAnotherIsLostAndAnEarlierOneIsNone() {
        scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 1);
        ask(0, RENEWED);
        granted(7);
        ask(1, RENEWED);
        granted(6);
        assertThat(hold(0).state()).isEqualTo(LeaseState.HELD);
        scripted.expect(Step.Release.class);
        scripted.answer(RELEASED);
        granted(8);

        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
        assertThat(hold(1).state()).isEqualTo(LeaseState.HELD);
        assertThat(served).containsExactly(0, 1);
    }

    @Test
    void aGrantOfAnotherLengthThanIsWantedByNowIsGivenBackAndIsNoSilence() {
        Waiter first = ask(0, new Terms(LEASE, false, Duration.ZERO, CALL));
        ask(1, new Terms(LEASE.dividedBy(2), false, Duration.ZERO, CALL), Patience.of(Duration.ofMillis(30), CALL));
        Step.Acquire asked = scripted.expect(Step.Acquire.class);
        first.withdraw();
        scripted.pass(Duration.ofMillis(25));
        scripted.answer(new Answer.Granted(7, LEASE));

        assertThat(scripted.expect(Step.Release.class).id()).isEqualTo(asked.id());
        scripted.answer(RELEASED);
        assertThat(scripted.expect(Step.Acquire.class).length()).isEqualTo(LEASE.dividedBy(2));
        scripted.pass(Duration.ofMillis(5));
        assertThat(outcomes).containsExactly(new Outcome.Withdrawn(), new Outcome.Busy());
    }

    @Test
    void aPlaceIsGivenUpAlsoAfterItsWaiterHasAskedForTheLastTime() {
        Waiter first = ask(0, RENEWED);
        Step.Acquire asked = scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        ask(1, RENEWED, Patience.of(Duration.ofMillis(40), CALL));
        first.withdraw();
        scripted.pass(Duration.ofMillis(50));
        scripted.signal(Signal.ANY);
        scripted.answer(new Answer.Busy(Duration.ofMillis(50)));

        assertThat(scripted.expect(Step.Release.class).id()).isEqualTo(asked.id());
    }

    @Test
    void whoIsToldOfALossAtOnceFindsTheStoreAskedAlready() {
        ask(0, new Terms(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        ask(1, RENEWED);
        scripted.suspend(LEASE);
        List<Boolean> asked = new ArrayList<>();
        hold(0).onLoss(loss -> asked.add(!scripted.isQuiet()));

        assertThat(asked).containsExactly(true);
    }

    @Test
    void whoAsksOnceWhenTheTurnIsOverButNobodyHasNoticedAsksTheStore() {
        ask(0, new Terms(LEASE, false, Duration.ZERO, CALL));
        granted(7);
        scripted.suspend(LEASE);
        askOnce();

        assertThat(scripted.isQuiet()).isFalse();
        assertThat(hold(0).state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aSignalHasItsWaiterAskAndNobodyElse() {
        ask(0, RENEWED);
        AcquisitionId id = scripted.expect(Step.Acquire.class).id();
        scripted.answer(WAITING);

        scripted.signal(Signal.to(JOB, new AcquisitionId(1, 2)));
        scripted.signal(Signal.to(new LockName("other"), id));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.signal(Signal.to(JOB, id));
        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void aSignalThatComesBeforeTheAnswerIsNotLost() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.signal(Signal.ANY);
        scripted.signal(Signal.ANY);
        scripted.answer(WAITING);

        assertThat(scripted.isQuiet()).isFalse();
        scripted.answer(WAITING);
        assertThat(scripted.isQuiet()).as("once").isTrue();
    }

    @Test
    void aLostSignalCostsTimeOnly() {
        ask(0, RENEWED);
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        scripted.pass(Duration.ofMillis(4_999));
        assertThat(scripted.isQuiet()).isTrue();
        scripted.pass(Duration.ofMillis(1));
        assertThat(scripted.isQuiet()).isFalse();
    }

    @Test
    void nobodyListensOnceNobodyHasWaitedForAWhile() {
        Waiter waiter = ask(0, RENEWED);
        assertThat(scripted.listens()).isFalse();
        scripted.expect(Step.Acquire.class);
        scripted.answer(WAITING);
        assertThat(scripted.listens()).isTrue();
        waiter.withdraw();
        scripted.expect(Step.Release.class);
        scripted.answer(new Answer.Released(false));
        scripted.pass(Duration.ofMinutes(1));

        assertThat(scripted.listens()).isFalse();
    }

    @Test
    void whoTimesOutInTheMomentOfItsGrantOwnsItOrLeavesItToTheNext() {
        for (int seed = 0; seed < 1_000; seed++) {
            Random random = new Random(seed);
            scripted = new ScriptedEngine(QUEUE_AND_SIGNALS, 16);
            outcomes.clear();
            served.clear();
            ask(0, RENEWED, Patience.of(Duration.ofMillis(500), CALL));
            ask(1, RENEWED);
            Step.Acquire asked = scripted.expect(Step.Acquire.class);
            scripted.answer(WAITING);
            scripted.pass(Duration.ofMillis(499));
            scripted.signal(Signal.ANY);
            scripted.pass(Duration.ofMillis(random.nextInt(3)));
            granted(7);

            boolean inTime = outcomes.get(0) instanceof Outcome.Held;
            assertThat(outcomes).as("seed %d", seed).hasSize(inTime ? 1 : 2);
            if (inTime) {
                release(0);
            }
            assertThat(served).last().as("seed %d", seed).isEqualTo(1);
            assertThat(hold(outcomes.size() - 1).state()).isEqualTo(LeaseState.HELD);
            release(outcomes.size() - 1);
            assertThat(scripted.expect(Step.Release.class).id()).isEqualTo(asked.id());
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
        assertThat(outcomes).endsWith(new Outcome.Closed(), new Outcome.Closed());
        scripted.expect(Step.Release.class);
        scripted.answer(RELEASED);
        assertThat(scripted.isQuiet()).isTrue();
    }

    private Waiter ask(int number, Terms terms) {
        return ask(number, terms, Patience.unlimited());
    }

    private Waiter ask(int number, Terms terms, Patience patience) {
        return scripted.engine().ask(JOB, terms, patience, Lane.CALLER, outcome -> {
            outcomes.add(outcome);
            if (outcome instanceof Outcome.Held) {
                served.add(number);
            }
        });
    }

    private void askOnce() {
        scripted.engine().ask(JOB, RENEWED, Patience.none(CALL), Lane.CALLER, outcomes::add);
    }

    private void granted(long token) {
        scripted.expect(Step.Acquire.class);
        scripted.answer(new Answer.Granted(token, LEASE));
    }

    private Hold hold(int at) {
        return ((Outcome.Held) outcomes.get(at)).hold();
    }

    private List<Long> tokens() {
        return outcomes.stream()
                .map(outcome -> ((Outcome.Held) outcome).hold().applicationToken())
                .toList();
    }

    private void release(int at) {
        hold(at).release(Lane.CALLER, Duration.ZERO, ends::add);
    }
}
