package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P1_11;
import static dev.holdfast.lock.tck.Rule.P1_12;
import static dev.holdfast.lock.tck.Rule.P1_13;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;

/** P1: a minimum hold. */
interface MinimumHoldRules {

    @Checks(P1_11)
    default void p1_11_aMinimumHoldKeepsTheLockBusy(Kit kit) {
        Client client = kit.client();
        Duration[] leases = {LONG, Duration.ofMillis(400)};
        Duration keep = Duration.ofMillis(600);
        for (Duration lease : leases) {
            Held held = releasedInTime(client, lease, keep);
            Held next = client.awaitGrant(held.name(), LONG);
            long early = held.notBefore(keep) - next.received();
            if (early > 0) {
                throw new Broken("a lock with a minimum hold of " + keep + " and a lease of " + lease
                        + " was released and given to somebody else " + Duration.ofNanos(early) + " too early");
            }
        }
    }

    /** A machine that is too slow to release within the lease gets another chance. */
    private static Held releasedInTime(Client client, Duration lease, Duration keep) {
        for (int attempt = 0; ; attempt++) {
            Held held = client.grant(new LockName("kept after " + lease + " " + attempt), lease);
            if (client.release(held.name(), held.id(), keep, Duration.ZERO)) {
                return held;
            }
            if (System.nanoTime() < held.validUntil() || attempt == 20) {
                throw new Broken("a release within the lease was answered with wasHeld = false");
            }
        }
    }

    @Checks(P1_12)
    default void p1_12_aMinimumHoldEndsByItself(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), SHORT, Duration.ZERO);
        client.awaitGrant(JOB, LONG);

        LockName old = new LockName("held for longer than its minimum");
        Held longer = client.grant(old, LONG);
        Kit.pause(Duration.ofMillis(1100));
        client.release(old, longer.id(), Duration.ofSeconds(1), Duration.ZERO);
        Step.Acquire step = acquiring(old, Kit.id(), LONG);
        if (!(client.ask(step) instanceof Answer.Granted)) {
            throw new Broken("a lock was held for 1.1 s, with a minimum of 1 s, and was not free after its release");
        }

        LockName stranger = new LockName("released by a stranger");
        client.release(stranger, Kit.id(), LONG, Duration.ZERO);
        client.release(client.grant(stranger, LONG));

        LockName lapsed = new LockName("lapsed before its release");
        Held late = client.grant(lapsed, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        client.release(lapsed, late.id(), LONG, Duration.ZERO);
        client.grant(lapsed, LONG);
    }

    @Checks(P1_13)
    default void p1_13_afterAKeptReleaseTheIdIsOver(Kit kit) {
        Client client = kit.client();
        Held held = client.grant(JOB, LONG);
        if (!client.release(JOB, held.id(), LONG, Duration.ZERO)) {
            throw new Broken("the release with a minimum hold ended a lease, and must say wasHeld = true");
        }

        client.expectGone(new Step.Renew(JOB, held.id(), LONG));
        for (Duration keep : new Duration[] {LONG, SHORT, Duration.ZERO}) {
            for (Duration remember : new Duration[] {Duration.ZERO, LONG}) {
                if (client.release(JOB, held.id(), keep, remember)) {
                    throw new Broken("a second release says that the lease had lasted until then");
                }
                client.expectBusy(JOB);
            }
        }
        Step.Acquire again = acquiring(JOB, held.id(), LONG);
        Answer answer = client.ask(again);
        if (!(answer instanceof Answer.Gone || answer instanceof Answer.Busy)) {
            throw new Broken("the released id must be Gone or find the lock busy, but was " + answer);
        }
        client.expectBusy(JOB);
    }
}
