package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P4_1;
import static dev.holdfast.lock.tck.Rule.P4_13;
import static dev.holdfast.lock.tck.Rule.P4_2;
import static dev.holdfast.lock.tck.Rule.P4_3;
import static dev.holdfast.lock.tck.Rule.P4_4;
import static dev.holdfast.lock.tck.Rule.P4_5;
import static dev.holdfast.lock.tck.Rule.P4_6;
import static dev.holdfast.lock.tck.Rule.P4_7;
import static dev.holdfast.lock.tck.Rule.P5_1;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** P4 and P5: whatever arrives twice, late or out of order does no harm. */
interface RepetitionRules {

    Duration NONE = Duration.ZERO;

    @Checks(P4_1)
    default void p4_1_askingAgainIsTheSameGrant(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        client.expectHeld(held);
        client.expectHeld(held);
        if (!client.release(held)) {
            throw new Broken("a lease that was asked for three times was not held when it was released");
        }
        client.grant(JOB, LONG);
    }

    @Checks(P4_2)
    default void p4_2_aReleaseFreesNothingButItsOwn(Kit kit) {
        Client client = kit.client();
        Held first = client.grant(JOB, LONG);
        client.release(first);
        Held second = client.grant(JOB, LONG);

        for (AcquisitionId stranger : List.of(first.id(), Kit.id())) {
            client.release(JOB, stranger, NONE, NONE);
            client.expectBusy(JOB);
            client.release(JOB, stranger, NONE, LONG);
            client.expectBusy(JOB);
            client.release(JOB, stranger, LONG, NONE);
            client.expectHeld(second);
        }
        client.release(second);
        client.release(JOB, first.id(), LONG, NONE); // what is not held is not kept either
        client.grant(JOB, LONG);
    }

    @Checks(P4_3)
    default void p4_3_wasHeldIsTrue(Kit kit) {
        Client client = kit.client();
        expectWasHeld(false, client.release(JOB, Kit.id(), NONE, NONE), "nobody ever asked for this lock");
        Held held = client.grant(JOB, LONG);
        expectWasHeld(false, client.release(JOB, Kit.id(), NONE, NONE), "somebody else holds it");
        expectWasHeld(true, client.release(held), "it was held");
        expectWasHeld(false, client.release(held), "it was released before");
        Held next = client.grant(JOB, SHORT);
        Held after = client.awaitGrant(JOB, SHORT);
        expectWasHeld(false, client.release(next), "its lease was over, and somebody else holds the lock");
        client.awaitGrant(JOB, LONG);
        expectWasHeld(false, client.release(after), "its lease was over, and somebody else holds the lock");

        LockName lapsed = new LockName("lapsed");
        Held unnoticed = client.grant(lapsed, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        expectWasHeld(false, client.release(unnoticed), "its lease was over, though nobody has asked since");
    }

    private static void expectWasHeld(boolean expected, boolean wasHeld, String because) {
        if (wasHeld != expected) {
            throw new Broken("a release was answered with wasHeld = " + wasHeld + ", but " + because);
        }
    }

    @Checks(P4_4)
    default void p4_4_aDoubtfulReleaseIsRemembered(Kit kit) {
        Client client = kit.client();
        AcquisitionId late = Kit.id();
        client.release(JOB, late, NONE, LONG);
        client.expectGone(acquiring(JOB, late, LONG));
        Held held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), NONE, LONG);
        client.expectGone(acquiring(JOB, held.id(), LONG));
        client.expectGone(new Step.Renew(JOB, held.id(), LONG));
        client.expectGone(acquiring(JOB, late, LONG));
        client.grant(JOB, LONG);
        client.expectGone(acquiring(JOB, late, LONG)); // also while another id holds the lock
        client.expectGone(Client.queueing(JOB, held.id(), LONG));
    }

    @Checks(P4_13)
    default void p4_13_aReleaseIsRememberedForAsLongAsAsked(Kit kit) {
        Client client = kit.client();
        Duration brief = Duration.ofMillis(100);
        AcquisitionId never = Kit.id();
        client.release(JOB, never, NONE, LONG);
        client.release(JOB, never, NONE, brief); // which does not end the longer one
        Held held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), NONE, LONG);
        client.release(JOB, held.id(), brief, NONE);
        client.release(JOB, held.id(), NONE, brief);
        LockName kept = new LockName("kept");
        Held minimum = client.grant(kept, LONG);
        client.release(kept, minimum.id(), brief, LONG);
        Kit.pause(Duration.ofSeconds(3));
        client.expectGone(acquiring(JOB, never, LONG));
        client.expectGone(acquiring(JOB, held.id(), LONG));
        client.expectGone(acquiring(kept, minimum.id(), LONG));
        client.grant(JOB, LONG);
        client.grant(kept, LONG);
    }

    @Checks(P4_5)
    default void p4_5_severalReleasedIdsAreRemembered(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        List<AcquisitionId> late = List.of(Kit.id(), Kit.id(), Kit.id());
        late.forEach(id -> client.release(JOB, id, NONE, LONG));
        client.expectHeld(held);
        client.release(held);
        late.forEach(id -> client.expectGone(acquiring(JOB, id, LONG)));

        LockName other = new LockName("another name");
        Held elsewhere = client.grant(acquiring(other, late.get(0), LONG));
        client.expectHeld(elsewhere);
        client.grant(JOB, LONG);
        late.forEach(id -> client.release(JOB, id, NONE, NONE));
        client.expectBusy(JOB);
    }

    @Checks(P4_6)
    default void p4_6_anExpiredIdNeverGetsItsGrantBack(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        Answer answer = client.acquire(JOB, held.id(), LONG);
        boolean anew = answer instanceof Answer.Granted granted && granted.token() > held.token();
        if (!anew && !(answer instanceof Answer.Gone)) {
            throw new Broken("a lease of 50 ms with token " + held.token()
                    + " ended 50 ms ago; asked again, its id must be Gone or get a greater token, but was " + answer);
        }
    }

    @Checks(P4_7)
    default void p4_7_repeatedLateAndOutOfOrder(Kit kit) {
        for (int run = 0; run < 3; run++) {
            new Schedule(kit.contract.seed() + run).check(kit.client(), 250);
        }
    }

    @Checks(P5_1)
    default void p5_1_anAttemptThatWasGivenUpIsNotGrantedLate(Kit kit) {
        Client client = kit.client();
        Held holder = client.grant(JOB, LONG);
        AcquisitionId waiter = Kit.id();
        client.expectBusy(JOB, waiter);
        client.release(JOB, waiter, NONE, LONG);
        client.release(holder);

        Answer answer = client.acquire(JOB, waiter, LONG);

        if (!(answer instanceof Answer.Gone)) {
            throw new Broken(
                    "a waiter gave up, and its repeated Acquire, arriving late, must be Gone but was " + answer);
        }
        client.grant(JOB, LONG);
    }
}
