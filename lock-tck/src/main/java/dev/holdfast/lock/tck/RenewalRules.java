package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P10_1;
import static dev.holdfast.lock.tck.Rule.P10_2;
import static dev.holdfast.lock.tck.Rule.P10_3;
import static dev.holdfast.lock.tck.Rule.P10_4;
import static dev.holdfast.lock.tck.Rule.P10_6;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;

/** P10: renewal extends what is held, and brings nothing back. */
interface RenewalRules {

    @Checks(P10_1)
    default void p10_1_aRenewalExtends(Kit kit) {
        Client client = kit.client();
        Held held = renewedInTime(client);
        Kit.pause(SHORT.plus(SHORT));

        client.expectBusy(held.name());
        client.expectHeld(held);

        LockName other = new LockName("renewed for a moment");
        Held brief = client.grant(other, LONG.dividedBy(1000));
        Step.Renew renew = new Step.Renew(other, brief.id(), SHORT.multipliedBy(2));
        long sent = System.nanoTime();
        if (client.ask(renew) instanceof Answer.Granted renewed) {
            long early = sent
                    + Kit.slewed(renewed.remaining())
                    - client.awaitGrant(other, LONG).received();
            if (early > 0) {
                throw new Broken("a lease that was renewed, with " + renewed.remaining() + " remaining, was given to"
                        + " somebody else " + Duration.ofNanos(early) + " before its end");
            }
        }

        LockName twice = new LockName("renewed at once");
        Held held2 = client.grant(twice, LONG);
        client.renew(held2, LONG);
        Step.Acquire again = Client.acquiring(twice, held2.id(), LONG);
        Duration remaining =
                Client.expect(Answer.Granted.class, again, client.ask(again)).remaining();
        if (remaining.compareTo(LONG) > 0) {
            throw new Broken("a lease that was renewed for " + LONG + " from now on has " + remaining + " remaining");
        }
    }

    /** A machine that is too slow to renew within the lease gets another chance. */
    private static Held renewedInTime(Client client) {
        for (int attempt = 0; ; attempt++) {
            Held held = client.grant(new LockName("renewed " + attempt), SHORT);
            Answer answer = client.renew(held, LONG);
            if (answer instanceof Answer.Granted granted) {
                if (granted.remaining().compareTo(LONG.dividedBy(2)) < 0
                        || granted.remaining().compareTo(LONG) > 0) {
                    throw new Broken(
                            "a lease was just renewed for " + LONG + " and has " + granted.remaining() + " remaining");
                }
                return held;
            }
            if (System.nanoTime() < held.validUntil() || attempt == 20) {
                throw new Broken("a lease was renewed within its time, and the answer was " + answer);
            }
        }
    }

    @Checks(P10_2)
    default void p10_2_aRenewalNeverBringsALeaseBack(Kit kit) {
        Client client = kit.client();
        Duration moment = Duration.ofMillis(50);
        Held held = client.grant(JOB, moment);
        Kit.pause(moment.plus(moment));

        client.expectGone(new Step.Renew(JOB, held.id(), LONG));
        Held next = client.grant(JOB, LONG);
        client.expectGone(new Step.Renew(JOB, held.id(), LONG));
        client.expectHeld(next);
    }

    @Checks(P10_3)
    default void p10_3_aRenewalAfterTheReleaseChangesNothing(Kit kit) {
        Client client = kit.client();
        for (Duration remember : new Duration[] {Duration.ZERO, LONG}) {
            Held held = client.grant(JOB, LONG);
            client.release(JOB, held.id(), Duration.ZERO, remember);
            client.expectGone(new Step.Renew(JOB, held.id(), LONG));
            client.release(client.grant(JOB, LONG));
        }
        client.expectGone(new Step.Renew(JOB, Kit.id(), LONG));
        client.grant(JOB, LONG);
    }

    @Checks(P10_6)
    default void p10_6_aRenewalNeverShortensALease(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        Step.Renew renew = new Step.Renew(JOB, held.id(), SHORT);
        Duration remaining =
                Client.expect(Answer.Granted.class, renew, client.ask(renew)).remaining();
        if (remaining.compareTo(LONG.dividedBy(2)) < 0) {
            throw new Broken(
                    "a lease of " + LONG + " was renewed for " + SHORT + " and has " + remaining + " remaining");
        }
        Kit.pause(SHORT.plus(SHORT));
        client.expectHeld(held);
    }

    @Checks(P10_4)
    default void p10_4_aRenewalExtendsNothingButItsOwn(Kit kit) {
        Client client = kit.client();
        Held held = heldAsAnotherRenews(client);
        client.awaitGrant(held.name(), LONG);
        client.expectGone(new Step.Renew(held.name(), held.id(), LONG));
    }

    /** A machine that is too slow for a second step within the lease gets another chance: nothing was there to extend. */
    private static Held heldAsAnotherRenews(Client client) {
        for (int attempt = 0; ; attempt++) {
            Held held = client.grant(new LockName("held " + attempt), SHORT);
            client.expectGone(new Step.Renew(held.name(), Kit.id(), LONG));
            if (System.nanoTime() < held.validUntil()) {
                return held;
            }
            if (attempt == 20) {
                throw new Broken("two steps took longer than " + SHORT + ", again and again");
            }
        }
    }
}
