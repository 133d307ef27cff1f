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
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        HeldLock anew = client.grant(lapsed, LONG);
        expectWasHeld(false, client.release(unnoticed), "the lease had expired, and another id holds the lock");
        client.expectHeld(anew);
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
        client.expectGone(acquiring(JOB, late, LONG)); // even while another id holds the lock
        client.expectGone(StoreClient.queueing(JOB, held.id(), LONG));

        LockName kept = new LockName("kept"); // or a minimum hold keeps it
        client.release(kept, client.grant(kept, LONG).id(), LONG, NONE);
        client.release(kept, late, NONE, LONG);
        client.expectGone(acquiring(kept, late, LONG));
        if (client.store().capabilities().contains(Capability.QUEUE)) { // or it is reserved for a waiter
            LockName reserved = new LockName("reserved");
            HeldLock holder = client.grant(reserved, LONG);
            client.enqueue(reserved);
            client.release(reserved, late, NONE, LONG);
            client.release(holder);
            client.expectGone(acquiring(reserved, late, LONG));
        }
    }

    @Checks(P4_13)
    default void p4_13_aTombstoneLastsAsLongAsAsked(Kit kit) {
        StoreClient client = kit.client();
        Duration brief = Duration.ofMillis(100);
        AcquisitionId never = Kit.id();
        client.release(JOB, never, NONE, LONG);
        client.release(JOB, never, NONE, brief); // which must not shorten the tombstone
        AcquisitionId twice = Kit.id();
        client.executeAll(List.of(
                new LockCommand.Release(JOB, twice, NONE, LONG), new LockCommand.Release(JOB, twice, NONE, brief)));
        HeldLock held = client.grant(JOB, LONG);
        client.release(JOB, held.id(), NONE, LONG);
        client.release(JOB, held.id(), brief, NONE);
        client.release(JOB, held.id(), NONE, brief);
        LockName kept = new LockName("kept");
        HeldLock minimum = client.grant(kept, LONG);
        client.release(kept, minimum.id(), brief, LONG);
        LockName lapsed = new LockName("lapsed");
        AcquisitionId late = Kit.id();
        client.release(lapsed, late, NONE, LONG);
        HeldLock expired = client.grant(lapsed, brief);
        Kit.pause(brief.plus(brief));
        client.release(lapsed, expired.id(), NONE, LONG);
        Kit.pause(Duration.ofSeconds(3));
        client.expectGone(acquiring(JOB, never, LONG));
        client.expectGone(acquiring(JOB, twice, LONG));
        client.expectGone(acquiring(JOB, held.id(), LONG));
        client.expectGone(acquiring(kept, minimum.id(), LONG));
        client.expectGone(acquiring(lapsed, late, LONG));
        client.expectGone(acquiring(lapsed, expired.id(), LONG));
        client.grant(JOB, LONG);
        client.grant(lapsed, LONG);
        client.grant(kept, LONG);
    }

    @Checks(P4_5)
    default void p4_5_aNameHasSeveralTombstones(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        List<AcquisitionId> late = Stream.generate(Kit::id).limit(Kit.CROWD).toList();
        client.executeAll(late.stream()
                .<LockCommand>map(id -> new LockCommand.Release(JOB, id, NONE, LONG))
                .toList());
        client.expectHeld(held);
        client.release(held);
        List<LockCommand> acquires =
                late.stream().<LockCommand>map(id -> acquiring(JOB, id, LONG)).toList();
        List<LockReply> replies = client.executeAll(acquires);
        for (int at = 0; at < acquires.size(); at++) {
            StoreClient.expect(LockReply.Gone.class, acquires.get(at), replies.get(at));
        }

        LockName other = new LockName("another name");
        HeldLock elsewhere = client.grant(acquiring(other, late.get(0), LONG));
        client.expectHeld(elsewhere);
        client.grant(JOB, LONG);
        client.executeAll(late.stream()
                .<LockCommand>map(id -> new LockCommand.Release(JOB, id, NONE, NONE))
                .toList());
        client.expectBusy(JOB);
        expectTombstonesOfTheirOwn(client, new LockName("released with and without"));
    }

    /** In a batch of releases with a tombstone and without. */
    private static void expectTombstonesOfTheirOwn(StoreClient client, LockName name) {
        List<AcquisitionId> ids = Stream.generate(Kit::id).limit(4).toList();
        List<LockCommand> releases = new ArrayList<>();
        for (int at = 0; at < ids.size(); at++) {
            releases.add(new LockCommand.Release(name, ids.get(at), NONE, hasTombstone(at) ? LONG : NONE));
        }
        client.executeAll(releases);
        for (int at = 0; at < ids.size(); at++) {
            LockCommand.Acquire acquire = acquiring(name, ids.get(at), LONG);
            if (hasTombstone(at)) {
                client.expectGone(acquire);
            } else {
                client.release(client.grant(acquire));
            }
        }
    }

    /** Neither the first nor the last. */
    private static boolean hasTombstone(int at) {
        return at == 1 || at == 2;
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

        LockName taken = new LockName("taken by another id");
        HeldLock before = client.grant(taken, Duration.ofMillis(50));
        Kit.pause(Duration.ofMillis(100));
        HeldLock next = client.grant(taken, LONG);
        reply = client.acquire(taken, before.id(), LONG);
        if (!(reply instanceof LockReply.Gone || reply instanceof LockReply.Busy)) {
            throw new RuleBroken("a lease expired, and another id holds the lock;"
                    + " a repeated acquire of the expired id must be Gone or Busy, but was " + reply);
        }
        client.expectHeld(next);
    }

    @Checks(P4_7)
    default void p4_7_crossingCommandsOfOneIdLeaveNothing(Kit kit) {
        StoreClient client = kit.client();
        List<StoreClient> clients = List.of(client, kit.anotherClient());
        boolean queues = client.store().capabilities().contains(Capability.QUEUE);
        for (int round = 0; round < 12; round++) {
            HeldLock held = client.grant(new LockName("renewed and released " + round), LONG);
            List<LockCommand> renewal = List.of(client.renewing(held, LONG));
            cross(clients, round, renewal, NONE);
            expectNothingHeld(client, renewal);

            // Between two steps of a batch is more time for another command than between those of a single one.
            for (int size : List.of(1, Kit.SAMPLE)) {
                List<LockCommand> acquires = acquires("acquired and released " + round + ", ", size);
                cross(clients, round, acquires, LONG);
                expectAllGone(client, acquires);
                expectNothingHeld(client, acquires);
            }

            if (queues) {
                LockName awaited = new LockName("awaited and withdrawn " + round);
                HeldLock holder = client.grant(awaited, LONG);
                List<LockCommand> waiting = List.of(StoreClient.queueing(awaited, Kit.id(), LONG));
                cross(clients, round, waiting, LONG);
                client.release(holder);
                expectNothingHeld(client, waiting);
            }
        }
    }

    /** Acquires of locks that were never used; their names begin with the prefix. */
    private static List<LockCommand> acquires(String prefix, int size) {
        return IntStream.range(0, size)
                .<LockCommand>mapToObj(
                        each -> acquiring(new LockName(prefix + (each + 1) + " of " + size), Kit.id(), LONG))
                .toList();
    }

    /** Executes the commands in one call, and at the same time in another one a release of the id of each. */
    private static void cross(List<StoreClient> clients, int round, List<LockCommand> commands, Duration tombstone) {
        List<LockCommand> releases = commands.stream()
                .<LockCommand>map(each -> new LockCommand.Release(each.name(), each.id(), NONE, tombstone))
                .toList();
        int commanding = round / 2 % 2; // the second thread mostly calls first, as it ends the wait of the other
        ConcurrentCalls.run(
                2, number -> clients.get((number + round) % 2).executeAll(number == commanding ? commands : releases));
    }

    private static void expectAllGone(StoreClient client, List<LockCommand> commands) {
        List<LockReply> replies = client.executeAll(commands);
        for (int at = 0; at < commands.size(); at++) {
            StoreClient.expect(LockReply.Gone.class, commands.get(at), replies.get(at));
        }
    }

    private static void expectNothingHeld(StoreClient client, List<LockCommand> crossed) {
        expectAllGone(
                client,
                crossed.stream()
                        .<LockCommand>map(each -> new LockCommand.Renew(each.name(), each.id(), LONG))
                        .toList());
        List<LockCommand> others = crossed.stream()
                .<LockCommand>map(each -> acquiring(each.name(), Kit.id(), LONG))
                .toList();
        List<LockReply> replies = client.executeAll(others);
        for (int at = 0; at < others.size(); at++) {
            if (!(replies.get(at) instanceof LockReply.Granted)) {
                throw new RuleBroken("the release of an id was answered while another command of the id was under way;"
                        + " after both the lock must be free, but the reply was " + replies.get(at) + "\n  to "
                        + others.get(at));
            }
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
