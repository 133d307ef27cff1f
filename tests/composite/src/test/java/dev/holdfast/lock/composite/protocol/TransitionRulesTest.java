package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.ID;
import static dev.holdfast.lock.composite.protocol.Script.JOB;
import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a process proposes a transition, and in which order it carries out a failback: rules 8 to 10 of PROTOCOL.md. */
class TransitionRulesTest {

    private final Script script = new Script();

    @Test
    void fallback_beforeTheDrainHasPassed_isNotActivated() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.learn(3, FailoverPhase.DRAINING);
        Duration left = TIMING.drain();
        while (left.compareTo(TIMING.readInterval()) > 0) {
            assertThat(proposals()).isEmpty();
            script.learn(3, FailoverPhase.DRAINING);
            left = left.minus(TIMING.readInterval());
        }
        script.pass(left);

        assertThat(proposals()).singleElement().isInstanceOf(Transition.ActivateFallback.class);
    }

    @Test
    void failback_whenItBegins_installsTheMarkBeforeItCopiesAndCopiesBeforeItActivates() {
        TransferredLease grant = held(JOB);
        failBack(List.of(List.of(grant)));

        assertThat(script.calls)
                .extracting(Script.Call::method)
                .containsExactly("installTerm", "leases", "copyLeases", "transition");
        assertThat(script.calls.get(2).arguments().get(1)).isEqualTo(List.of(grant));
        assertThat(script.calls.get(3).arguments().get(0)).isEqualTo(new Transition.ActivatePrimary(4));
    }

    @Test
    void failback_afterAWholePage_fetchesFromItsLastNameOn() {
        List<TransferredLease> page = IntStream.range(0, 2_000)
                .mapToObj(number -> held(new LockName("job " + number)))
                .toList();
        List<TransferredLease> rest = List.of(held(JOB));
        failBack(List.of(page, rest));

        assertThat(script.calls)
                .extracting(Script.Call::method)
                .containsExactly("installTerm", "leases", "copyLeases", "leases", "copyLeases", "transition");
        assertThat(script.calls.get(3).arguments().get(1)).isEqualTo(Optional.of(new LockName("job 1999")));
        assertThat(script.calls.get(4).arguments().get(1)).isEqualTo(rest);
    }

    @Test
    void failback_whenACopyFails_isAborted() {
        beginFailback(3);
        script.run(Target.PRIMARY, (method, arguments) -> null);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(held(JOB)));
        StoreTask<?> copy = script.member.next(Target.PRIMARY, script.now());
        copy.completion().complete(null, new IllegalStateException("the reply is lost"), script.now(), script.now());

        script.learn(4, FailoverPhase.FAILING_BACK);

        assertThat(script.member.next(Target.PRIMARY, script.now())).isNull();
        assertThat(proposals()).singleElement().isInstanceOf(Transition.AbortFailback.class);
    }

    @Test
    void failback_ofAnotherProcess_isAbortedAfterItsTimeoutOnly() {
        script.learn(3, FailoverPhase.FALLBACK);
        script.learn(4, FailoverPhase.FAILING_BACK);
        assertThat(proposals()).isEmpty();

        script.pass(TIMING.failbackTimeout());
        script.learn(4, FailoverPhase.FAILING_BACK);

        assertThat(proposals()).singleElement().isInstanceOf(Transition.AbortFailback.class);
    }

    @Test
    void failback_afterOneThatFailed_beginsAnew() {
        beginFailback(3);
        script.run(Target.PRIMARY, (method, arguments) -> null);
        script.run(Target.AUTHORITY, (method, arguments) -> List.of(held(JOB)));
        script.run(Target.PRIMARY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });
        beginFailback(5);
        script.calls.clear();
        runToItsEnd(List.of(List.of()));

        assertThat(script.calls).extracting(Script.Call::method).containsExactly("installTerm", "leases", "transition");
        assertThat(script.calls.get(1).arguments().get(1)).isEqualTo(Optional.empty());
        assertThat(proposals()).as("once it has been carried out").isEmpty();
    }

    @Test
    void failback_whenAnotherProcessBeginsALaterOne_isLeftToIt() {
        beginFailback(3);
        script.learn(5, FailoverPhase.FALLBACK);
        script.learn(6, FailoverPhase.FAILING_BACK);

        assertThat(script.member.next(Target.PRIMARY, script.now())).isNull();
        assertThat(proposals()).isEmpty();
    }

    @Test
    void failback_ofAnotherProcessAfterOneThatFailedHere_isNotAborted() {
        beginFailback(3);
        script.run(Target.PRIMARY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });
        script.learn(5, FailoverPhase.FALLBACK);
        script.learn(6, FailoverPhase.FAILING_BACK);

        assertThat(proposals()).isEmpty();
    }

    @Test
    void failback_whenACallOfAnEarlierOneIsAnswered_takesNoNoticeOfIt() {
        beginFailback(3);
        StoreTask<?> earlier = script.member.next(Target.PRIMARY, script.now());
        beginFailback(5);
        script.run(earlier, (method, arguments) -> null);

        assertThat(script.run(Target.PRIMARY, (method, arguments) -> null)).isTrue();
        assertThat(script.calls.get(script.calls.size() - 1).method()).isEqualTo("installTerm");
    }

    @Test
    void failback_onceThePrimaryIsInPower_isOver() {
        beginFailback(3);
        script.learn(4, FailoverPhase.PRIMARY);
        script.calls.clear();
        script.run(Target.PRIMARY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });

        assertThat(script.calls).extracting(Script.Call::method).containsExactly("health");
    }

    @Test
    void failover_tellsHowManyLeasesItHasTransferred() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.acquire();
        assertThat(transferred(3)).isOne();
        script.learn(4, FailoverPhase.FAILING_BACK);
        script.learn(4, FailoverPhase.PRIMARY);
        script.run(Target.PRIMARY, (method, arguments) -> List.of(Script.GRANTED));
        assertThat(transferred(5)).isOne();

        script.route(new LockCommand.Release(JOB, ID, Script.LEASE.multipliedBy(2), Duration.ZERO));
        script.learn(6, FailoverPhase.PRIMARY);
        assertThat(transferred(7)).as("a minimum hold is no lease").isZero();
    }

    /** In the failover to this epoch. */
    private int transferred(long epoch) {
        script.learn(epoch, FailoverPhase.DRAINING);
        assertThat(script.run(Target.AUTHORITY, (method, arguments) -> List.of(Script.GRANTED)))
                .isTrue();
        script.learn(epoch, FailoverPhase.FALLBACK);
        return script.events.get(script.events.size() - 1).transferredLeases();
    }

    @Test
    void proposal_thatIsAccepted_isNotRepeatedBeforeTheStateIsRead() {
        drain();
        assertThat(proposals()).hasSize(1);

        assertThat(proposals()).isEmpty();
    }

    @Test
    void proposal_thatFails_isRepeatedAfterAPause() {
        drain();
        script.run(Target.AUTHORITY, (method, arguments) -> {
            throw new IllegalStateException("a test wants it");
        });
        script.pass(TIMING.retryInterval().dividedBy(5));
        script.run(
                Target.AUTHORITY,
                (method, arguments) -> new AuthorityReading(Script.authorityState(3, FailoverPhase.DRAINING), 1, 0));
        assertThat(proposals()).isEmpty();

        script.learn(3, FailoverPhase.DRAINING);
        assertThat(proposals()).hasSize(1);
    }

    /** For so long that the fallback may be activated. */
    private void drain() {
        script.learn(2, FailoverPhase.PRIMARY);
        script.learn(3, FailoverPhase.DRAINING);
        script.pass(TIMING.drain());
        script.learn(3, FailoverPhase.DRAINING);
    }

    private static TransferredLease held(LockName name) {
        return new TransferredLease(
                name, ID, 101, Duration.ZERO, Duration.ofMinutes(1), false, "test", Share.EXCLUSIVE);
    }

    /** From its beginning to its end, with these pages of leases at the authority. */
    private void failBack(List<List<TransferredLease>> pages) {
        beginFailback(3);
        script.calls.clear();
        runToItsEnd(pages);
    }

    private void runToItsEnd(List<List<TransferredLease>> pages) {
        Iterator<List<TransferredLease>> left = pages.iterator();
        while (runBoth(left)) {
            script.pass(Duration.ofMillis(1));
        }
    }

    /** What the stores of the failback reply. */
    private boolean runBoth(Iterator<List<TransferredLease>> pages) {
        boolean wasTask = false;
        for (Target target : Target.values()) {
            StoreTask<?> task = script.member.next(target, script.now());
            if (task != null && !task.description().startsWith("read")) {
                wasTask = true;
                script.run(task, (method, arguments) -> switch (method) {
                    case "leases" -> pages.next();
                    case "transition" -> true;
                    default -> null;
                });
            }
        }
        return wasTask;
    }

    /** The primary is healthy for long enough, and the proposal of this process is accepted. */
    private void beginFailback(long fallback) {
        script.learn(fallback, FailoverPhase.FALLBACK);
        boolean begun = false;
        while (!begun) {
            script.run(
                    Target.PRIMARY,
                    (method, arguments) ->
                            new PrimaryHealth("id", true, 2, script.now().nanos() / 1_000, 1, Optional.empty()));
            script.learn(fallback, FailoverPhase.FALLBACK);
            begun = script.run(Target.AUTHORITY, (method, arguments) -> true);
        }
        assertThat(script.calls.get(script.calls.size() - 1).arguments().get(0))
                .isEqualTo(new Transition.BeginFailback(fallback, "id"));
        script.learn(fallback + 1, FailoverPhase.FAILING_BACK);
    }

    /** What the member proposes now; the authority accepts it. */
    private List<Transition> proposals() {
        List<Transition> proposals = new ArrayList<>();
        script.run(Target.AUTHORITY, (method, arguments) -> {
            assertThat(method).isEqualTo("transition");
            proposals.add((Transition) arguments.get(0));
            return true;
        });
        return proposals;
    }
}
