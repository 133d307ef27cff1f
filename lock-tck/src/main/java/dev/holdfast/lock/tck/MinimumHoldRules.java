package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P1_11;
import static dev.holdfast.lock.tck.Rule.P1_12;
import static dev.holdfast.lock.tck.Rule.P1_13;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** P1: minimum holds. */
interface MinimumHoldRules {

    @Checks(P1_11)
    default void p1_11_aMinimumHoldKeepsTheLockBusy(Kit kit) {
        StoreClient client = kit.client();
        Duration[] leases = {LONG, Duration.ofMillis(400)};
        Duration minimumHold = Duration.ofMillis(600);
        for (Duration lease : leases) {
            HeldLock held = releasedInTime(client, lease, minimumHold);
            HeldLock next = client.awaitGrant(held.name(), LONG);
            long early = held.notBefore(minimumHold) - next.received();
            if (early > 0) {
                throw new RuleBroken("a lock with a minimum hold of " + minimumHold + " and a lease of " + lease
                        + " was released, and granted to another id " + Duration.ofNanos(early) + " too early");
            }
        }
        List<HeldLock> free = client.grantAll("one without", 2, LONG);
        List<HeldLock> many = client.grantAll("one of many", Kit.SAMPLE, LONG);
        List<LockCommand> releases = new ArrayList<>();
        many.forEach(held -> releases.add(release(held, LONG)));
        releases.add(0, release(free.get(0), Duration.ZERO));
        releases.add(release(free.get(1), Duration.ZERO));
        client.executeAll(releases);
        client.expectAllBusy(many);
        free.forEach(held -> client.grant(held.name(), LONG)); // each release has its own minimum hold
        if (client.store().capabilities().contains(Capability.QUEUE)) {
            kit.withinClaimWindow(name -> expectFromTheGrant(client, name));
        }
    }

    private static LockCommand release(HeldLock held, Duration minimumHold) {
        return new LockCommand.Release(held.name(), held.id(), minimumHold, Duration.ZERO);
    }

    /** The minimum hold of a holder that has waited also counts from its grant. */
    private static void expectFromTheGrant(StoreClient client, LockName name) {
        HeldLock before = client.grant(name, LONG);
        AcquisitionId waiter = client.enqueue(name);
        Kit.pause(SHORT);
        client.release(before);
        HeldLock held = client.claim(name, waiter);
        client.release(name, waiter, SHORT, Duration.ZERO);
        long early = held.notBefore(SHORT) - client.awaitGrant(name, LONG).received();
        if (early > 0) {
            throw new RuleBroken("a lock with a minimum hold of " + SHORT + " was granted to a waiter, released, and"
                    + " granted to another id " + Duration.ofNanos(early) + " too early");
        }
    }

    /** Repeats the grant if the machine was too slow to release within the lease. */
    private static HeldLock releasedInTime(StoreClient client, Duration lease, Duration minimumHold) {
        for (int attempt = 0; ; attempt++) {
            HeldLock held = client.grant(new LockName("kept after " + lease + " " + attempt), lease);
            if (client.release(held.name(), held.id(), minimumHold, Duration.ZERO)) {
                return held;
            }
            if (System.nanoTime() < held.validUntil() || attempt == 20) {
                throw new RuleBroken("a release within the lease replied wasHeld = false");
            }
        }
    }

    @Checks(P1_12)
    default void p1_12_aMinimumHoldEndsByItself(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), SHORT, Duration.ZERO);
        client.release(JOB, held.id(), LONG, Duration.ZERO); // this id no longer holds anything
        client.awaitGrant(JOB, LONG);

        LockName old = new LockName("held for longer than its minimum");
        HeldLock longer = client.grant(old, LONG);
        Kit.pause(Duration.ofMillis(1100));
        client.renew(longer, LONG); // neither a renewal nor a repetition is a grant
        client.expectHeld(longer);
        client.release(old, longer.id(), Duration.ofSeconds(1), Duration.ZERO);
        LockCommand.Acquire command = acquiring(old, Kit.id(), LONG);
        if (!(client.execute(command) instanceof LockReply.Granted)) {
            throw new RuleBroken("a lock with a minimum hold of 1 s was released after 1.1 s, and is not free");
        }

        LockName stranger = new LockName("released by a stranger");
        client.release(stranger, Kit.id(), LONG, Duration.ZERO);
        client.release(client.grant(stranger, LONG));

        LockName lapsed = new LockName("lapsed before its release");
        HeldLock late = client.grant(lapsed, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        client.release(lapsed, late.id(), LONG, Duration.ZERO);
        client.grant(lapsed, LONG);
    }

    @Checks(P1_13)
    default void p1_13_aReleaseWithMinimumHoldEndsItsId(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        if (!client.release(JOB, held.id(), LONG, Duration.ZERO)) {
            throw new RuleBroken("a release with a minimum hold ended a lease, but replied wasHeld = false");
        }

        client.expectGone(new LockCommand.Renew(JOB, held.id(), LONG));
        client.release(JOB, Kit.id(), Duration.ZERO, Duration.ZERO);
        client.release(JOB, Kit.id(), SHORT, LONG);
        client.expectBusy(JOB);
        for (Duration minimumHold : new Duration[] {LONG, SHORT, Duration.ZERO}) {
            for (Duration tombstone : new Duration[] {Duration.ZERO, LONG}) {
                if (client.release(JOB, held.id(), minimumHold, tombstone)) {
                    throw new RuleBroken("a second release replied wasHeld = true");
                }
                client.expectBusy(JOB);
            }
        }
        LockCommand.Acquire again = acquiring(JOB, held.id(), LONG);
        LockReply reply = client.execute(again);
        if (!(reply instanceof LockReply.Gone || reply instanceof LockReply.Busy)) {
            throw new RuleBroken("an acquire of the released id must be Gone or Busy, but was " + reply);
        }
        client.expectBusy(JOB);
    }
}
