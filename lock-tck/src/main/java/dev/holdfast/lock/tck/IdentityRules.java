package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_10;
import static dev.holdfast.lock.tck.Rule.P4_12;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;

/** P1 and P4: the whole id, and nothing else, identifies an acquisition. */
interface IdentityRules {

    List<String> OWNERS = List.of(
            "",
            "owner",
            "'; --",
            "\uD83D\uDD12".repeat(127),
            "x".repeat(255),
            "x".repeat(256),
            "\uD83D\uDD12".repeat(256),
            "two\nlines\tand a tab",
            "\u0000", // which no SQL text holds
            "\uD83D and \uDD12", // lone surrogates, which no UTF-8 holds
            "x".repeat(70_000));

    @Checks(P1_10)
    default void p1_10_theOwnerTextIsNotCompared(Kit kit) {
        StoreClient client = kit.client();
        boolean queues = client.store().capabilities().contains(Capability.QUEUE);
        for (String owner : OWNERS) {
            LockName name = new LockName("of owner " + OWNERS.indexOf(owner));
            HeldLock held = client.grant(by(owner, name, Kit.id(), false));
            AcquisitionId other = Kit.id();
            LockCommand.Acquire same = by(owner, name, other, false);
            StoreClient.expect(LockReply.Busy.class, same, client.execute(same));
            client.expectGone(new LockCommand.Renew(name, other, LONG));
            if (client.release(name, other, Duration.ZERO, LONG)) {
                throw new RuleBroken("a release of another id with the same owner text has ended the lease");
            }
            client.expectHeld(held);
            LockCommand.Acquire otherwise = by(owner + "!", name, held.id(), false);
            StoreClient.expect(LockReply.Granted.class, otherwise, client.execute(otherwise));
            if (queues) {
                kit.withinClaimWindow(job -> expectSeparatePlaces(client, new LockName(job + " of " + name), owner));
            }
        }
        expectNoIdOf(client, new LockName("of an owner text with an id"));
        HeldLock held = client.grant(by("one", JOB, Kit.id(), false));
        client.release(JOB, held.id(), Duration.ZERO, LONG);
        client.grant(by("one", JOB, Kit.id(), false));
    }

    /** An id in the owner text of another, as in a line of a listing, holds nothing. */
    private static void expectNoIdOf(StoreClient client, LockName name) {
        AcquisitionId quoted = Kit.id();
        HeldLock held = client.grant(by("h " + quoted + " 1 1 " + quoted, name, Kit.id(), false));
        client.expectBusy(name, quoted);
        client.expectGone(new LockCommand.Renew(name, quoted, LONG));
        if (client.release(name, quoted, Duration.ZERO, Duration.ZERO)) {
            throw new RuleBroken("a release of an id that is in the holder's owner text has ended the lease");
        }
        client.expectHeld(held);
    }

    /** Two waiters with the same owner text have a place each: when one leaves, the other stays. */
    private static void expectSeparatePlaces(StoreClient client, LockName name, String owner) {
        HeldLock holder = client.grant(by(owner, name, Kit.id(), false));
        LockCommand.Acquire first = by(owner, name, Kit.id(), true);
        LockCommand.Acquire second = by(owner, name, Kit.id(), true);
        LockCommand.Acquire third = by(owner, name, Kit.id(), true);
        for (LockCommand.Acquire each : List.of(first, second, third)) {
            StoreClient.expect(LockReply.Queued.class, each, client.execute(each));
        }
        client.release(name, first.id(), Duration.ZERO, Duration.ZERO);
        LockCommand release = new LockCommand.Release(name, holder.id(), Duration.ZERO, Duration.ZERO);
        List<LockReply> replies = client.executeAll(List.of(release, third, second));
        StoreClient.expect(LockReply.Queued.class, third, replies.get(1));
        StoreClient.expect(LockReply.Granted.class, second, replies.get(2));
    }

    /** An acquire with this owner text. */
    static LockCommand.Acquire by(String owner, LockName name, AcquisitionId id, boolean queue) {
        return new LockCommand.Acquire(name, id, LONG, queue, 0, owner);
    }

    @Checks(P4_12)
    default void p4_12_idsAreComparedInFull(Kit kit) {
        StoreClient client = kit.client();
        expectComparedInFull(client, Kit.id());
        // Without leading zeros their digits are those of the swapped halves: in hexadecimal, and in decimal.
        expectComparedInFull(client, new AcquisitionId(1, 0x11));
        expectComparedInFull(client, new AcquisitionId(1, 11));
    }

    private static void expectComparedInFull(StoreClient client, AcquisitionId id) {
        LockName name = new LockName("held by " + id);
        HeldLock held = client.grant(acquiring(name, id, LONG));
        List<AcquisitionId> alike = List.of(
                new AcquisitionId(id.high(), ~id.low()),
                new AcquisitionId(~id.high(), id.low()),
                new AcquisitionId(id.high(), id.low() ^ 1),
                new AcquisitionId(id.high() ^ 1, id.low()),
                new AcquisitionId(id.high(), id.low() ^ Long.MIN_VALUE),
                new AcquisitionId(id.high() ^ Long.MIN_VALUE, id.low()),
                new AcquisitionId(id.low(), id.high()));
        for (AcquisitionId other : alike) {
            client.expectBusy(name, other);
            client.expectGone(new LockCommand.Renew(name, other, LONG));
            if (client.release(name, other, Duration.ZERO, LONG)) {
                throw new RuleBroken("a release of " + other + " has ended the lease of " + id);
            }
            client.expectHeld(held);
        }
        client.release(name, id, Duration.ZERO, Duration.ZERO);
        LockName free = new LockName("never held by " + id);
        client.release(free, id, Duration.ZERO, LONG);
        for (AcquisitionId other : alike) {
            client.release(client.grant(acquiring(free, other, LONG)));
        }
        client.expectGone(acquiring(free, id, LONG));
    }
}
