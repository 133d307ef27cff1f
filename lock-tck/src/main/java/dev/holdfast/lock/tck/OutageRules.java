package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P6_1;
import static dev.holdfast.lock.tck.Rule.P6_2;
import static dev.holdfast.lock.tck.Rule.P6_3;
import static dev.holdfast.lock.tck.Rule.P6_5;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.Opening;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** P6: a store that cannot answer says so. */
interface OutageRules {

    Duration BRIEF = Duration.ofSeconds(1);

    Duration TICK = Duration.ofMillis(50);

    /** Six times {@link #BRIEF}: a store may ask more than one server, or round up. */
    int MOST_TICKS = 120;

    @Checks(P6_1)
    default void p6_1_anUnreachableStoreIsUnavailable(Kit kit) {
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client client = kit.clientOf(way.configuration(), kit.namespace);
        Held held = client.grant(JOB, LONG);
        way.cut();
        for (Step step : everyKindOfStep(held)) {
            expectUnavailable(step, client.attempt(step, BRIEF), "unreachable");
        }
    }

    @Checks(P6_2)
    default void p6_2_aSilentStoreIsUnavailable(Kit kit) {
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client client = kit.clientOf(way.configuration(), kit.namespace);
        Held held = client.grant(JOB, LONG);
        way.silence();
        for (Step step : everyKindOfStep(held)) {
            try (Attempt attempt = new Attempt(client, step, BRIEF)) {
                awaitEnd(attempt);
                expectUnavailable(step, attempt.answer(), "silent");
            }
        }
        Step step = acquiring(JOB, Kit.id(), LONG);
        try (Attempt attempt = new Attempt(client, step, BRIEF)) {
            Kit.pause(BRIEF.dividedBy(5));
            attempt.interrupt();
            awaitEnd(attempt);
            expectUnavailable(step, attempt.answer(), "silent");
            attempt.expectStillInterrupted();
        }
    }

    /** Counts instead of looking at a clock: a machine that stands still counts nothing. */
    private static void awaitEnd(Attempt attempt) {
        for (int ticks = 0; !attempt.isOver(); ticks++) {
            if (ticks > MOST_TICKS) {
                throw new Broken("a silent store's call with a timeout of " + BRIEF + " is not over after "
                        + TICK.multipliedBy(ticks));
            }
            Kit.pause(TICK);
        }
    }

    @Checks(P6_3)
    default void p6_3_whenTheStoreIsBackAllGoesOn(Kit kit) {
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client client = kit.clientOf(way.configuration(), kit.namespace);
        Held held = client.grant(JOB, LONG);
        way.cut();
        client.attempt(acquiring(new LockName("during"), Kit.id(), LONG), BRIEF);
        way.heal();

        Step again = acquiring(JOB, held.id(), LONG);
        kit.await("the store answers again", () -> !(client.attempt(again, BRIEF) instanceof Answer.Unavailable));
        client.expectHeld(held);
        client.expectBusy(JOB);
        client.release(held);
        client.grant(JOB, LONG);
    }

    @Checks(P6_5)
    default void p6_5_openingAnUnreachableStoreFails(Kit kit) {
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        way.cut();
        try (LockStore store = Opening.bareStore(Kit.in(kit.namespace, way.configuration()))) {
            throw new Broken("an unreachable store was opened: " + store);
        } catch (LockUnavailableException expected) {
            if (expected.getMessage() == null || expected.getMessage().isBlank()) {
                throw new Broken("the exception does not say what could not be reached");
            }
        }
    }

    private static List<Step> everyKindOfStep(Held held) {
        return List.of(
                acquiring(JOB, Kit.id(), LONG),
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, held.id(), LONG),
                new Step.Renew(JOB, held.id(), LONG),
                new Step.Release(JOB, held.id(), Duration.ZERO, Duration.ZERO));
    }

    private static void expectUnavailable(Step step, Answer answer, String how) {
        if (!(answer instanceof Answer.Unavailable)) {
            throw new Broken("the store is " + how + ", but answered " + answer + "\n  to " + step);
        }
    }
}
