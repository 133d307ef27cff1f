package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.S1;
import static dev.holdfast.lock.tck.Rule.S10;
import static dev.holdfast.lock.tck.Rule.S11;
import static dev.holdfast.lock.tck.Rule.S12;
import static dev.holdfast.lock.tck.Rule.S13;
import static dev.holdfast.lock.tck.Rule.S14;
import static dev.holdfast.lock.tck.Rule.S2;
import static dev.holdfast.lock.tck.Rule.S3;
import static dev.holdfast.lock.tck.Rule.S4;
import static dev.holdfast.lock.tck.Rule.S5;
import static dev.holdfast.lock.tck.Rule.S6;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** S: shares last side by side if they are compatible, and each is a grant of its own. */
interface ShareRules {

    /** The share of a reader. */
    Share READER = Share.shared();

    /** The share of a writer. */
    Share WRITER = Share.EXCLUSIVE;

    /** Of a semaphore of two. */
    Share ONE_OF_TWO = new Share(1, 2);

    @Checks(S1)
    default void s1_compatibleSharesLastAtTheSameTime(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        StoreClient other = kit.anotherClient();
        LockName read = new LockName("read");
        List<HeldLock> readers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            readers.add((i % 2 == 0 ? client : other).grant(read, READER, LONG));
        }
        for (HeldLock reader : readers) {
            client.expectBusy(read, WRITER);
            other.expectHeld(reader);
            other.release(reader);
        }
        HeldLock writer = client.grant(read, WRITER, LONG);
        other.expectBusy(read, READER);
        other.expectBusy(read, WRITER);
        client.expectHeld(writer);
        client.release(writer);
        client.grant(read, READER, LONG);

        LockName counted = new LockName("counted");
        HeldLock one = client.grant(counted, ONE_OF_TWO, LONG);
        HeldLock two = other.grant(counted, ONE_OF_TWO, LONG);
        client.expectBusy(counted, ONE_OF_TWO);
        client.expectBusy(counted, WRITER);
        client.expectBusy(counted, READER);
        client.expectHeld(one);
        client.release(two);
        client.grant(counted, READER, LONG); // a reader takes one of two, too
        client.expectBusy(counted, ONE_OF_TWO);
        expectCountedInOrder(client, new LockName("in one batch"));
        expectCrowdReads(client, new LockName("crowded"));
    }

    /** Each command of a batch finds what those before it have left. */
    private static void expectCountedInOrder(StoreClient client, LockName name) {
        HeldLock held = client.grant(name, ONE_OF_TWO, LONG);
        List<LockCommand> acquires = Stream.<LockCommand>generate(
                        () -> StoreClient.withShare(StoreClient.acquiring(name, Kit.id(), LONG), ONE_OF_TWO))
                .limit(4)
                .toList();
        List<LockCommand> commands = new ArrayList<>(acquires);
        commands.add(2, new LockCommand.Release(name, held.id(), Duration.ZERO, Duration.ZERO, ONE_OF_TWO));
        List<LockReply> replies = client.executeAll(commands);
        StoreClient.expect(LockReply.Granted.class, commands.get(0), replies.get(0));
        StoreClient.expect(LockReply.Busy.class, commands.get(1), replies.get(1));
        StoreClient.expect(LockReply.Released.class, commands.get(2), replies.get(2));
        StoreClient.expect(LockReply.Granted.class, commands.get(3), replies.get(3));
        StoreClient.expect(LockReply.Busy.class, commands.get(4), replies.get(4));
    }

    private static void expectCrowdReads(StoreClient client, LockName name) {
        List<LockCommand> acquires = Stream.<LockCommand>generate(
                        () -> StoreClient.withShare(StoreClient.acquiring(name, Kit.id(), LONG), READER))
                .limit(Kit.CROWD)
                .toList();
        List<LockReply> replies = client.executeAll(acquires);
        List<LockCommand> releases = new ArrayList<>();
        for (int at = 0; at < acquires.size(); at++) {
            StoreClient.expect(LockReply.Granted.class, acquires.get(at), replies.get(at));
            releases.add(new LockCommand.Release(name, acquires.get(at).id(), Duration.ZERO, Duration.ZERO, READER));
        }
        LockCommand last = releases.remove(releases.size() - 1);
        client.executeAll(releases);
        client.expectBusy(name, WRITER);
        client.execute(last);
        client.grant(name, WRITER, LONG);
    }

    @Checks(S2)
    default void s2_theLeastLimitCounts(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        Share oneOfFour = new Share(1, 4);
        HeldLock old = client.grant(JOB, ONE_OF_TWO, LONG);
        HeldLock young = client.grant(JOB, oneOfFour, LONG);
        client.expectBusy(JOB, oneOfFour);
        client.expectBusy(JOB, ONE_OF_TWO);
        client.release(old);
        client.grant(JOB, oneOfFour, LONG);
        client.grant(JOB, oneOfFour, LONG);
        client.expectBusy(JOB, ONE_OF_TWO);
        client.grant(JOB, oneOfFour, LONG);
        client.expectBusy(JOB, oneOfFour);
        client.expectHeld(young);
    }

    @Checks(S3)
    default void s3_permitsAreGrantedAtOnceOrNotAtAll(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        Share two = new Share(2, 5);
        Share three = new Share(3, 5);
        HeldLock first = client.grant(JOB, three, LONG);
        client.expectBusy(JOB, three);
        HeldLock second = client.grant(JOB, two, LONG); // the refused request has taken nothing
        client.expectBusy(JOB, new Share(1, 5));
        client.release(first);
        client.expectBusy(JOB, new Share(4, 5));
        HeldLock third = client.grant(JOB, three, LONG);
        client.release(second);
        client.release(third);
        client.grant(JOB, new Share(5, 5), LONG);
        client.expectBusy(JOB, READER);

        LockName large = new LockName("large");
        Share most = new Share(1_500_000_000, 2_000_000_000);
        client.grant(large, most, LONG);
        client.expectBusy(large, most); // more than 32 bits together
        client.grant(large, new Share(500_000_000, 2_000_000_000), LONG);
        client.expectBusy(large, READER);
        client.enqueue(large, most);
        client.expectBusy(large, most); // with the waiter before it, even more than 32 bits without a sign
    }

    @Checks(S4)
    default void s4_aRenewalExtendsItsOwnShareOnly(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        HeldLock lasting = client.grant(new LockName("lasting"), ONE_OF_TWO, LONG);
        client.renew(lasting, SHORT);
        HeldLock silent = client.grant(JOB, ONE_OF_TWO, SHORT);
        HeldLock renewed = client.grant(JOB, ONE_OF_TWO, SHORT);
        LockReply reply = client.renew(renewed, LONG);
        if (System.nanoTime() - renewed.validUntil() < 0) { // otherwise it was too late to be renewed
            StoreClient.expect(LockReply.Granted.class, client.renewing(renewed, LONG), reply);
        }
        Kit.pause(SHORT.plus(Kit.TOLERANCE));
        client.expectGone(client.renewing(silent, LONG));
        client.expectHeld(lasting); // a renewal does not shorten a lease
        if (reply instanceof LockReply.Granted) {
            client.expectHeld(renewed);
            client.grant(JOB, ONE_OF_TWO, LONG);
            client.expectBusy(JOB, ONE_OF_TWO);
        }
    }

    @Checks(S5)
    default void s5_aDeadReaderDoesNotOutliveItsLease(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        HeldLock dead = client.grant(JOB, ONE_OF_TWO, SHORT);
        HeldLock living = client.grant(JOB, ONE_OF_TWO, LONG);
        LockCommand.Acquire next = StoreClient.withShare(StoreClient.acquiring(JOB, Kit.id(), LONG), ONE_OF_TWO);
        kit.await("the share of a holder that does not renew it is free", () -> {
            StoreClient.expect(LockReply.Granted.class, client.renewing(living, LONG), client.renew(living, LONG));
            LockReply reply = client.execute(next);
            if (reply instanceof LockReply.Granted && System.nanoTime() - dead.validUntil() < 0) {
                throw new RuleBroken("a share was granted to another id before its lease had ended");
            }
            return reply instanceof LockReply.Granted;
        });
        client.expectHeld(living);
        client.expectBusy(JOB, ONE_OF_TWO);
        client.expectGone(client.renewing(dead, LONG));

        LockName read = new LockName("read");
        HeldLock lapsed = client.grant(read, READER, SHORT);
        HeldLock reader = client.grant(read, READER, LONG);
        Kit.pause(SHORT.plus(Kit.TOLERANCE));
        if (client.release(lapsed)) {
            throw new RuleBroken("the release of a share whose lease had ended replied wasHeld = true");
        }
        client.expectHeld(reader);
        client.expectBusy(read, WRITER);
        client.release(reader);
        client.awaitGrant(read, LONG);
    }

    @Checks(S6)
    default void s6_aRepeatedRequestIsCountedOnce(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        LockCommand.Acquire command = StoreClient.withShare(StoreClient.acquiring(JOB, Kit.id(), LONG), ONE_OF_TWO);
        HeldLock one = client.grant(command);
        for (int i = 0; i < 5; i++) {
            client.expectHeld(one);
        }
        HeldLock two = client.grant(JOB, ONE_OF_TWO, LONG);
        client.expectBusy(JOB, ONE_OF_TWO);
        if (client.release(JOB, Kit.id(), ONE_OF_TWO, Duration.ZERO, Duration.ZERO)) {
            throw new RuleBroken("the release of an id that holds nothing replied wasHeld = true");
        }
        client.expectBusy(JOB, ONE_OF_TWO);
        if (!client.release(one, Duration.ZERO, LONG)) {
            throw new RuleBroken("the release of a share that was held replied wasHeld = false");
        }
        if (client.release(one, Duration.ZERO, LONG)) {
            throw new RuleBroken("the second release of a share replied wasHeld = true");
        }
        client.expectGone(command);
        client.expectGone(client.renewing(one, LONG));
        client.grant(JOB, ONE_OF_TWO, LONG);
        client.expectBusy(JOB, ONE_OF_TWO);
        client.expectHeld(two);
        client.release(one, Duration.ZERO, Duration.ofMillis(1)); // which does not shorten the tombstone
        Kit.pause(Kit.TOLERANCE);
        client.expectGone(command);
    }

    @Checks(S10)
    default void s10_tokensIncreaseOverAllKinds(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        long last = 0;
        for (int round = 0; round < 3; round++) {
            List<Share> together = List.of(READER, new Share(1, 3), READER);
            List<HeldLock> held = new ArrayList<>();
            for (Share share : together) {
                held.add(client.grant(JOB, share, LONG));
            }
            held.forEach(client::release);
            HeldLock writer = client.grant(JOB, WRITER, LONG);
            client.release(writer);
            held.add(writer);
            for (HeldLock each : held) {
                if (each.token() <= last) {
                    throw new RuleBroken("a share of " + each.share() + " was granted with the token " + each.token()
                            + " after a grant with " + last);
                }
                last = each.token();
            }
        }
        HeldLock one = client.grant(JOB, READER, LONG);
        HeldLock other = client.grant(JOB, READER, LONG);
        client.expectHeld(one); // with its own token
        expectNewToken(client, one, other);

        long floor = last + TokenRules.AHEAD;
        HeldLock above = client.grant(StoreClient.withShare(StoreClient.acquiring(JOB, Kit.id(), LONG, floor), READER));
        if (above.token() <= floor) {
            throw new RuleBroken("a share was granted with the token " + above.token() + " and the floor " + floor);
        }
        LockReply reply = client.tryExecute(
                StoreClient.withShare(StoreClient.acquiring(JOB, Kit.id(), LONG, LockReply.Granted.MAX_TOKEN), READER),
                StoreClient.TIMEOUT);
        if (!(reply instanceof LockReply.Unavailable)) {
            throw new RuleBroken("no token is greater than 2^53 - 1, but with that floor the reply was " + reply);
        }
        HeldLock next = client.grant(JOB, READER, LONG);
        if (next.token() <= above.token()) {
            throw new RuleBroken(
                    "a share was granted with the token " + next.token() + " after one with " + above.token());
        }
    }

    /** An id whose share is released and granted again in one batch has a new grant, unless the store remembers that it is gone. */
    private static void expectNewToken(StoreClient client, HeldLock one, HeldLock other) {
        LockCommand release = new LockCommand.Release(JOB, one.id(), Duration.ZERO, Duration.ZERO, one.share());
        LockCommand acquire = StoreClient.withShare(StoreClient.acquiring(JOB, one.id(), LONG), one.share());
        long sent = System.nanoTime();
        LockReply reply = client.executeAll(List.of(release, acquire)).get(1);
        if (reply instanceof LockReply.Gone) {
            return;
        }
        HeldLock again = StoreClient.held(acquire, reply, sent);
        if (again.token() <= other.token()) {
            throw new RuleBroken("a share was released and granted again in one batch, with the token " + again.token()
                    + " after a grant with " + other.token());
        }
        client.expectHeld(again);
    }

    @Checks(S11)
    default void s11_aMinimumHoldKeepsItsShare(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        HeldLock released = client.grant(JOB, ONE_OF_TWO, LONG);
        client.release(released, LONG, Duration.ZERO);
        client.expectGone(client.renewing(released, LONG));
        HeldLock beside = client.grant(JOB, ONE_OF_TWO, LONG);
        client.expectGone(StoreClient.withShare(StoreClient.acquiring(JOB, released.id(), LONG), ONE_OF_TWO));
        client.expectBusy(JOB, ONE_OF_TWO);
        client.expectHeld(beside);

        HeldLock old = client.grant(new LockName("old"), ONE_OF_TWO, LONG);
        LockName brief = new LockName("brief");
        HeldLock kept = client.grant(brief, ONE_OF_TWO, LONG);
        HeldLock other = client.grant(brief, ONE_OF_TWO, LONG);
        client.release(kept, SHORT, Duration.ZERO);
        HeldLock next =
                client.awaitGrant(StoreClient.withShare(StoreClient.acquiring(brief, Kit.id(), LONG), ONE_OF_TWO));
        if (next.received() - kept.notBefore(SHORT) < 0) {
            throw new RuleBroken("a share was granted to another id before its minimum hold had ended");
        }
        client.expectHeld(other);
        client.grant(old.name(), ONE_OF_TWO, LONG); // neither another grant nor a renewal begins its minimum hold
        client.renew(old, LONG);
        client.release(old, SHORT, Duration.ZERO);
        client.grant(old.name(), ONE_OF_TWO, LONG);
        expectKeptWriterIsGone(client, new LockName("written"));
    }

    /** Whether a reader waits, or not any more. */
    private static void expectKeptWriterIsGone(StoreClient client, LockName name) {
        HeldLock writer = client.grant(name, WRITER, LONG);
        AcquisitionId reader = client.enqueue(name, READER);
        client.release(writer, LONG, Duration.ZERO);
        for (int time = 0; time < 2; time++) {
            client.expectGone(client.renewing(writer, LONG));
            client.expectGone(StoreClient.acquiring(name, writer.id(), LONG));
            client.release(name, reader, READER, Duration.ZERO, Duration.ZERO);
        }
        if (client.release(writer)) {
            throw new RuleBroken("a writer that was released with a minimum hold was held at its second release");
        }
        client.expectBusy(name, READER);
        client.expectBusy(name, WRITER);
    }

    @Checks(S12)
    default void s12_nothingIsKeptWhenTheLastShareEnds(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        Duration moment = Duration.ofMillis(100);
        List<HeldLock> inUse =
                List.of(client.grant(JOB, READER, LONG), client.grant(new LockName("held"), READER, LONG));
        kit.expectKept(inUse);
        HeldLock brief =
                client.grant(JOB, READER, moment); // as the last: a store may remember its id for a later lease
        client.renew(brief, moment); // the end of another share stays, whether this one had ended or not
        LockName released = new LockName("released");
        HeldLock ahead = client.grant(StoreClient.withShare(
                StoreClient.acquiring(released, Kit.id(), LONG, brief.token() + TokenRules.AHEAD), READER));
        client.release(ahead);
        for (int i = 0; i < 20; i++) {
            LockName name = new LockName("ended " + i);
            HeldLock one = client.grant(name, ONE_OF_TWO, LONG);
            client.grant(name, ONE_OF_TWO, moment);
            AcquisitionId waiter = Kit.id();
            // Granted after a stall: then as briefly, as a store may remember for so long the id whose share has ended.
            client.execute(StoreClient.withShare(StoreClient.queueing(name, waiter, moment), ONE_OF_TWO));
            client.release(one, moment, moment);
            client.release(name, waiter, ONE_OF_TWO, Duration.ZERO, Duration.ZERO);
        }
        Kit.pause(moment.plus(Kit.TOLERANCE));
        kit.awaitPruning(inUse.size());
        inUse.forEach(client::expectHeld);
        HeldLock anew = client.grant(released, READER, LONG);
        if (anew.token() <= ahead.token()) {
            throw new RuleBroken("a share was granted with the token " + anew.token() + " after one with "
                    + ahead.token() + ", as the lock was pruned in between");
        }
    }

    @Checks(S13)
    default void s13_aListingShowsAllShares(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES, Capability.LIST);
        kit.withinWaiterTtl(name -> ListedShares.expectAll(client, name));
        kit.withinWaiterTtl(job -> ListedShares.expectCrowd(client, new LockName(job + " crowded")));
        ListedShares.expectTheLastMinimumHold(client, new LockName("kept"));
    }

    @Checks(S14)
    default void s14_sharesOfThreadsFitTogether(Kit kit) {
        kit.clientOfStoreWith(Capability.SHARES);
        List<Share> shares = List.of(WRITER, READER, READER, new Share(1, 3), new Share(2, 3), READER);
        int each = 6;
        List<Locks> locks = List.of(kit.locks(LONG), kit.locks(LONG));
        HoldHistory holds = new HoldHistory();
        CountDownLatch written = new CountDownLatch(1); // the others come while the writer holds the lock
        ConcurrentCalls.run(shares.size(), number -> {
            boolean isWriter = shares.get(number).equals(WRITER);
            DistributedLock lock = lockFor(shares.get(number), locks.get(number % 2));
            for (int i = 0; i < each; i++) {
                try (Lease lease = isWriter ? Kit.acquire(lock, Duration.ofMinutes(1)) : acquireAfter(written, lock)) {
                    long from = System.nanoTime();
                    written.countDown();
                    Kit.pause(Duration.ofMillis(isWriter && i == 0 ? 100 : 5));
                    holds.add(new HoldHistory.Hold(shares.get(number), lease.fencingToken(), from, System.nanoTime()));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted", e);
                }
            }
            return number;
        });
        holds.verify(shares.size() * each);
    }

    private static Lease acquireAfter(CountDownLatch other, DistributedLock lock) throws InterruptedException {
        if (!other.await(1, TimeUnit.MINUTES)) {
            throw new RuleBroken("the writer has not got the free lock within a minute");
        }
        return Kit.acquire(lock, Duration.ofMinutes(1));
    }

    private static DistributedLock lockFor(Share share, Locks locks) {
        DistributedLock lock = locks.named(JOB.value());
        if (share.isExclusive()) {
            return lock;
        }
        return share.equals(READER)
                ? lock.shared()
                : locks.semaphore(JOB.value(), share.limit()).permits(share.permits());
    }
}
