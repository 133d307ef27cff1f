package dev.holdfast.lock.composite.protocol;

import static dev.holdfast.lock.composite.protocol.Script.ID;
import static dev.holdfast.lock.composite.protocol.Script.JOB;
import static dev.holdfast.lock.composite.protocol.Script.TIMING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
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
        beginFailback();
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

    private static TransferredLease held(LockName name) {
        return new TransferredLease(
                name, ID, 101, Duration.ZERO, Duration.ofMinutes(1), false, "test", Share.EXCLUSIVE);
    }

    /** From its beginning to its end, with these pages of leases at the authority. */
    private void failBack(List<List<TransferredLease>> pages) {
        beginFailback();
        script.calls.clear();
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
    private void beginFailback() {
        script.learn(3, FailoverPhase.FALLBACK);
        boolean begun = false;
        while (!begun) {
            script.run(
                    Target.PRIMARY,
                    (method, arguments) ->
                            new PrimaryHealth("id", true, 2, script.now().nanos() / 1_000, 1, Optional.empty()));
            script.learn(3, FailoverPhase.FALLBACK);
            begun = script.run(Target.AUTHORITY, (method, arguments) -> true);
        }
        assertThat(script.calls.get(script.calls.size() - 1).arguments().get(0))
                .isEqualTo(new Transition.BeginFailback(3, "id"));
        script.learn(4, FailoverPhase.FAILING_BACK);
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
