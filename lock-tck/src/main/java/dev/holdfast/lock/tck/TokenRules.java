package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P2_1;
import static dev.holdfast.lock.tck.Rule.P2_10;
import static dev.holdfast.lock.tck.Rule.P2_2;
import static dev.holdfast.lock.tck.Rule.P2_3;
import static dev.holdfast.lock.tck.Rule.P2_4;
import static dev.holdfast.lock.tck.Rule.P2_5;
import static dev.holdfast.lock.tck.Rule.P2_6;
import static dev.holdfast.lock.tck.Rule.P2_7;
import static dev.holdfast.lock.tck.Rule.P2_8;
import static dev.holdfast.lock.tck.Rule.P2_9;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** P2: tokens rise, whatever happens in between. */
interface TokenRules {

    /** As many microseconds ahead of the store's clock: one hour. */
    long AHEAD = 3_600_000_000L;

    @Checks(P2_1)
    default void p2_1_tokensRiseAcrossReleases(Kit kit) {
        Client client = kit.client();
        long last = 0;
        for (int i = 0; i < 50; i++) {
            Held held = client.grant(JOB, LONG);
            last = rising(last, held, "after a release");
            client.release(held);
        }
    }

    @Checks(P2_2)
    default void p2_2_tokensRiseAcrossExpiry(Kit kit) {
        Client client = kit.client();
        Held first = client.grant(JOB, SHORT);
        Held second = client.awaitGrant(JOB, SHORT);
        rising(first.token(), second, "after an expiry");
        rising(second.token(), client.awaitGrant(JOB, LONG), "after a second expiry");
    }

    @Checks(P2_3)
    default void p2_3_tokensRiseWhenTheStoreIsOpenedAgain(Kit kit) {
        Client before = kit.anotherClient();
        long last = tokenAhead(before);
        before.close();
        rising(last, kit.anotherClient().grant(JOB, LONG), "the store was closed and opened again");
    }

    @Alone
    @Checks(P2_4)
    default void p2_4_tokensRiseAcrossARestart(Kit kit) {
        Client before = kit.client();
        Held first = before.grant(JOB, LONG);
        before.release(first);
        Held ahead = before.grant(acquiring(JOB, Kit.id(), SHORT, first.token() + AHEAD));

        kit.restart();

        // A release may be lost in a restart, which costs time only: so this one is left to expire.
        rising(ahead.token(), kit.patientClient().awaitGrant(JOB, LONG), "after a restart");
    }

    @Checks(P2_5)
    default void p2_5_tokensRiseAcrossPruning(Kit kit) {
        Held held = kit.client().grant(new LockName("in use"), SHORT.multipliedBy(10));
        kit.expectKept(List.of(held));
        kit.client().release(held);
        long last = tokenAhead(kit.client(), SHORT);
        kit.awaitPruning(0);
        rising(last, kit.client().grant(JOB, LONG), "the idle name was pruned");
    }

    @Checks(P2_6)
    default void p2_6_tokensRiseWhenTheClockIsBehind(Kit kit) {
        long last = tokenAhead(kit.client());
        Held next = kit.client().grant(JOB, LONG);
        rising(last, next, "after a grant whose token was an hour ahead of the clock");
    }

    @Alone
    @Checks(P2_7)
    default void p2_7_tokensRiseWhenTheClockStepsBack(Kit kit) {
        Held first = kit.client().grant(JOB, LONG);
        kit.client().release(first);
        kit.contract.stepClockBack(kit.namespace, Duration.ofHours(1));
        rising(first.token(), kit.client().grant(JOB, LONG), "the store's clock was set back");
    }

    @Checks(P2_8)
    default void p2_8_tokensAreGreaterThanBothFloors(Kit kit) {
        Client client = kit.client();
        Held first = client.grant(JOB, LONG);
        client.release(first);

        long above = first.token() + AHEAD;
        Held second = client.grant(acquiring(JOB, Kit.id(), LONG, above));
        rising(above, second, "'above' was " + above);
        client.release(second);

        rising(second.token(), client.grant(acquiring(JOB, Kit.id(), LONG, 7)), "'above' was 7");
    }

    @Checks(P2_9)
    default void p2_9_theTokenOfAGrantStaysTheSame(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        client.expectHeld(held);
        Step.Renew renew = new Step.Renew(JOB, held.id(), LONG);
        long renewed =
                Client.expect(Answer.Granted.class, renew, client.ask(renew)).token();
        if (renewed != held.token()) {
            throw new Broken("a renewal got token " + renewed + ", the grant had " + held.token());
        }
        client.expectHeld(held);
    }

    @Checks(P2_10)
    default void p2_10_noTokenIsTooGreat(Kit kit) {
        Client client = kit.client();
        for (long above : new long[] {Answer.Granted.MAX_TOKEN, Long.MAX_VALUE}) {
            Answer answer = client.attempt(acquiring(JOB, Kit.id(), LONG, above), Duration.ofSeconds(10));
            if (!(answer instanceof Answer.Unavailable)) {
                throw new Broken(
                        "no token is greater than 2^53 - 1, but 'above' was " + above + " and the answer " + answer);
            }
        }
        client.release(client.grant(JOB, LONG));
        if (client.store().capabilities().contains(Capability.QUEUE)) {
            kit.withinAReservation(name -> expectPlaceIsKept(client, name));
        }
    }

    /** Who cannot be granted for want of a token still is the first. */
    private static void expectPlaceIsKept(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        AcquisitionId first = client.queue(name);
        client.release(holder);
        Step.Acquire tooGreat = new Step.Acquire(name, first, LONG, true, Answer.Granted.MAX_TOKEN, "too great");
        Answer answer = client.attempt(tooGreat, Duration.ofSeconds(10));
        if (!(answer instanceof Answer.Unavailable)) {
            throw new Broken("no token is greater than 2^53 - 1, but the answer to a waiter was " + answer);
        }
        client.expectBusy(name);
        client.take(name, first);
    }

    /** Leaves the name free with a last token that the store's clock reaches in an hour only. */
    private static long tokenAhead(Client client) {
        return tokenAhead(client, LONG);
    }

    private static long tokenAhead(Client client, Duration lease) {
        Held first = client.grant(JOB, lease);
        client.release(first);
        Held ahead = client.grant(acquiring(JOB, Kit.id(), lease, first.token() + AHEAD));
        client.release(ahead);
        return ahead.token();
    }

    private static long rising(long last, Held next, String after) {
        if (next.token() <= last) {
            throw new Broken("token " + next.token() + " is not greater than " + last + ": " + after);
        }
        return next.token();
    }
}
