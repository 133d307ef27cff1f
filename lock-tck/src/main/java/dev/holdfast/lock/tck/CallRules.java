package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_18;
import static dev.holdfast.lock.tck.Rule.P5_5;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** P1 and P5: a store that is closed, and a thread that is interrupted. */
interface CallRules {

    @Checks(P1_18)
    default void p1_18_closingAStoreLeavesItsLeases(Kit kit) {
        Client other = kit.client();
        Held others = other.grant(new LockName("held through another store"), LONG);
        Client closed = kit.anotherClient();
        Held held = null;
        for (long start = System.nanoTime(); held == null; ) {
            if (System.nanoTime() - start > Kit.HANG.toNanos()) {
                throw new Broken("a lease is over when the store that it was granted through is closed");
            }
            held = heldThroughClosed(closed, other);
            closed = held == null ? kit.anotherClient() : closed;
        }

        other.expectHeld(others);
        kit.anotherClient().expectBusy(others.name());
        for (Step step : List.of(
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, held.id(), LONG),
                new Step.Renew(JOB, held.id(), LONG),
                new Step.Release(JOB, held.id(), Duration.ZERO, Duration.ZERO))) {
            Answer answer = closed.attempt(step, Duration.ofSeconds(10));
            if (!(answer instanceof Answer.Unavailable)) {
                throw new Broken("a store that was closed answered " + answer + "\n  to " + step);
            }
        }
    }

    /** What was granted and is held though its store is closed; null if its end had come, as it depends on more than its time. */
    private static @Nullable Held heldThroughClosed(Client closed, Client other) {
        Held held = closed.grant(JOB, LONG);
        long end = closed.endOf(held);
        closed.close();
        closed.close();
        Step.Acquire others = acquiring(JOB, Kit.id(), LONG);
        Answer answer = other.ask(others);
        if (answer instanceof Answer.Granted && System.nanoTime() - end >= 0) {
            other.release(JOB, others.id(), Duration.ZERO, Duration.ZERO);
            return null;
        }
        Client.expect(Answer.Busy.class, others, answer);
        return held;
    }

    @Checks(P5_5)
    default void p5_5_anInterruptedThreadStaysInterrupted(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        for (Step step : List.of(
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, Kit.id(), LONG),
                new Step.Renew(JOB, held.id(), LONG),
                new Step.Release(JOB, Kit.id(), Duration.ZERO, LONG))) {
            try (Attempt attempt = new Attempt(client, step, Duration.ofSeconds(10), true)) {
                kit.await("an interrupted call returns", attempt::isOver);
                attempt.expectStillInterrupted();
            }
        }
        // One that was under way may have ended a connection, which costs one call more at most.
        Step again = acquiring(JOB, held.id(), LONG);
        kit.await(
                "the store answers again",
                () -> !(client.attempt(again, Duration.ofSeconds(10)) instanceof Answer.Unavailable));
        client.expectHeld(held);
    }
}
