package dev.holdfast.lock.tck;

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
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;

/** P4 and P5: a command that arrives twice, late or out of order does no harm. */
interface RepetitionRules {

    Duration NONE = Duration.ZERO;

    @Checks(P4_1)
    default void p4_1_aRepeatedAcquireGetsTheSameGrant(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        client.expectHeld(held);
        client.expectHeld(held);
        if (!client.release(held)) {
            throw new RuleBroken("a lease that was acquired three times was not held at its release");
        }
        client.grant(JOB, LONG);
    }

    @Checks(P4_2)
    default void p4_2_aReleaseEndsOnlyItsOwnLease(Kit kit) {
        StoreClient client = kit.client();
        HeldLock first = client.grant(JOB, LONG);
        client.release(first);
        HeldLock second = client.grant(JOB, LONG);

        for (AcquisitionId stranger : List.of(first.id(), Kit.id())) {
            client.release(JOB, stranger, NONE, NONE);
            client.expectBusy(JOB);
            client.release(JOB, stranger, NONE, LONG);
            client.expectBusy(JOB);
            client.release(JOB, stranger, LONG, NONE);
            client.expectHeld(second);
        }
        client.release(second);
        client.release(JOB, first.id(), LONG, NONE); // a lock that is not held has no minimum hold
        client.grant(JOB, LONG);
    }

    @Checks(P4_3)
    default void p4_3_wasHeldIsExact(Kit kit) {
        StoreClient client = kit.client();
        expectWasHeld(false, client.release(JOB, Kit.id(), NONE, NONE), "the lock was never acquired");
        HeldLock held = client.grant(JOB, LONG);
        expectWasHeld(false, client.release(JOB, Kit.id(), NONE, NONE), "another id holds the lock");
        expectWasHeld(true, client.release(held), "the id held the lock");
        expectWasHeld(false, client.release(held), "the id was released before");
        HeldLock next = client.grant(JOB, SHORT);
        HeldLock after = client.awaitGrant(JOB, SHORT);
        expectWasHeld(false, client.release(next), "the lease had expired, and another id holds the lock");
        client.awaitGrant(JOB, LONG);
        expectWasHeld(false, client.release(after), "the lease had expired, and another id holds the lock");

        LockName lapsed = new LockName("lapsed");
        HeldLock unnoticed = client.grant(lapsed, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        expectWasHeld(false, client.release(unnoticed), "the lease had expired, though no command came since");
    }

    private static void expectWasHeld(boolean expected, boolean wasHeld, String because) {
        if (wasHeld != expected) {
            throw new RuleBroken("a release replied wasHeld = " + wasHeld + ", but " + because);
        }
    }

    @Checks(P4_4)
    default void p4_4_anIdWithATombstoneIsNeverGranted(Kit kit) {
        StoreClient client = kit.client();
        AcquisitionId late = Kit.id();
        client.release(JOB, late, NONE, LONG);
        client.expectGone(acquiring(JOB, late, LONG));
        HeldLock held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), NONE, LONG);
        client.expectGone(acquiring(JOB, held.id(), LONG));
        client.expectGone(new LockCommand.Renew(JOB, held.id(), LONG));
        client.expectGone(acquiring(JOB, late, LONG));
        client.grant(JOB, LONG);
        client.expectGone(acquiring(JOB, late, LONG)); // also while another id holds the lock
        client.expectGone(StoreClient.queueing(JOB, held.id(), LONG));
    }

    @Checks(P4_13)
    default void p4_13_aTombstoneLastsAsLongAsAsked(Kit kit) {
        StoreClient client = kit.client();
        Duration brief = Duration.ofMillis(100);
        AcquisitionId never = Kit.id();
        client.release(JOB, never, NONE, LONG);
        client.release(JOB, never, NONE, brief); // which must not shorten the tombstone
        HeldLock held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), NONE, LONG);
        client.release(JOB, held.id(), brief, NONE);
        client.release(JOB, held.id(), NONE, brief);
        LockName kept = new LockName("kept");
        HeldLock minimum = client.grant(kept, LONG);
        client.release(kept, minimum.id(), brief, LONG);
        Kit.pause(Duration.ofSeconds(3));
        client.expectGone(acquiring(JOB, never, LONG));
        client.expectGone(acquiring(JOB, held.id(), LONG));
        client.expectGone(acquiring(kept, minimum.id(), LONG));
        client.grant(JOB, LONG);
        client.grant(kept, LONG);
    }

    @Checks(P4_5)
    default void p4_5_aNameHasSeveralTombstones(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        List<AcquisitionId> late = List.of(Kit.id(), Kit.id(), Kit.id());
        late.forEach(id -> client.release(JOB, id, NONE, LONG));
        client.expectHeld(held);
        client.release(held);
        late.forEach(id -> client.expectGone(acquiring(JOB, id, LONG)));

        LockName other = new LockName("another name");
        HeldLock elsewhere = client.grant(acquiring(other, late.get(0), LONG));
        client.expectHeld(elsewhere);
        client.grant(JOB, LONG);
        late.forEach(id -> client.release(JOB, id, NONE, NONE));
        client.expectBusy(JOB);
    }

    @Checks(P4_6)
    default void p4_6_anExpiredIdNeverGetsItsGrantBack(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        LockReply reply = client.acquire(JOB, held.id(), LONG);
        boolean anew = reply instanceof LockReply.Granted granted && granted.token() > held.token();
        if (!anew && !(reply instanceof LockReply.Gone)) {
            throw new RuleBroken("a lease of 50 ms with token " + held.token()
                    + " expired 50 ms ago; a repeated acquire must be Gone or get a greater token, but was " + reply);
        }
    }

    @Checks(P4_7)
    default void p4_7_repeatedLateAndReorderedCommandsGetTheRightReplies(Kit kit) {
        for (int run = 0; run < 3; run++) {
            new RandomCommands(kit.contract.seed() + run).check(kit.client(), 250);
        }
    }

    @Checks(P5_1)
    default void p5_1_aLateAcquireIsNotGranted(Kit kit) {
        StoreClient client = kit.client();
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId waiter = Kit.id();
        client.expectBusy(JOB, waiter);
        client.release(JOB, waiter, NONE, LONG);
        client.release(holder);

        LockReply reply = client.acquire(JOB, waiter, LONG);

        if (!(reply instanceof LockReply.Gone)) {
            throw new RuleBroken("the late acquire of a caller that gave up must be Gone, but was " + reply);
        }
        client.grant(JOB, LONG);
    }
}
