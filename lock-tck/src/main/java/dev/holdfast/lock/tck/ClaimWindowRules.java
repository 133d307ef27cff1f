package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P7_15;
import static dev.holdfast.lock.tck.Rule.P7_6;
import static dev.holdfast.lock.tck.Rule.P7_7;
import static dev.holdfast.lock.tck.Rule.P7_8;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** P7: a free lock is reserved for the first waiter during its claim window. */
interface ClaimWindowRules {

    @Checks(P7_6)
    default void p7_6_aFreeLockIsReservedForTheFirstWaiter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = client.enqueue(name);
            AcquisitionId second = client.enqueue(name);
            client.release(holder);
            long released = System.nanoTime();
            client.expectGone(new LockCommand.Renew(name, first, LONG)); // a waiter holds nothing that it could renew
            do {
                client.expectBusy(name);
                client.expectWaiting(name, second);
                Kit.pause(Duration.ofMillis(20));
            } while (System.nanoTime() - released < SHORT.toNanos());
            client.claim(name, first);
        });
    }

    @Checks(P7_7)
    default void p7_7_aFirstWaiterThatDoesNotAskIsPassedOver(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinWaiterTtl(name -> expectPassedOver(client, name));
    }

    private static void expectPassedOver(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        LockCommand.Acquire dead = StoreClient.queueing(name, client.enqueue(name), LONG);
        AcquisitionId next = client.enqueue(name);
        HeldLock held = awaitPassing(client, holder, next, Duration.ZERO, 1);
        LockCommand.Acquire later = StoreClient.queueing(name, client.enqueue(name), LONG);
        client.expectWaiting(name, dead.id());
        client.expectHeld(held);
        LockCommand release = new LockCommand.Release(name, held.id(), Duration.ZERO, Duration.ZERO);
        long sent = System.nanoTime();
        List<LockReply> replies = client.executeAll(List.of(release, dead, later));
        if (System.nanoTime() - sent >= Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
            throw new RuleBroken.TooSlow("every attempt had a call that took longer than " + QueueTimes.CLAIM_WINDOW);
        }
        StoreClient.expect(LockReply.Queued.class, dead, replies.get(1)); // passed over, it is now the last
        StoreClient.expect(LockReply.Granted.class, later, replies.get(2));
    }

    @Checks(value = P7_15, slow = true)
    default void p7_15_eachFirstWaiterGetsAClaimWindow(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        List<Consumer<LockName>> cases = new ArrayList<>(List.of(
                name -> afterTwoDeadWaiters(client, name),
                name -> afterAMinimumHold(client, name),
                name -> withoutACommand(client, name, false),
                name -> withoutACommand(client, name, true),
                name -> afterAWithdrawal(client, name, ShareRules.WRITER),
                name -> afterReleasesOfOthers(client, name)));
        if (client.store().capabilities().contains(Capability.SHARES)) {
            cases.add(name -> afterAWithdrawal(client, name, ShareRules.READER));
        }
        ConcurrentCalls.run(cases.size(), number -> {
            kit.withinWaiterTtl(job -> cases.get(number).accept(new LockName(job + ", case " + number)));
            return number;
        });
    }

    private static void afterTwoDeadWaiters(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        client.enqueue(name);
        client.enqueue(name);
        awaitPassing(client, holder, client.enqueue(name), Duration.ZERO, 2);
    }

    /** The lock is free, and the claim window begins, when the minimum hold ends. */
    private static void afterAMinimumHold(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        client.enqueue(name);
        awaitPassing(client, holder, client.enqueue(name), QueueTimes.CLAIM_WINDOW, 1);
    }

    /**
     * The claim window of a dead waiter passes even if no command comes: the next acquire reserves the lock for the next waiter.
     * A machine so slow that this claim window passes as well shows nothing.
     */
    private static void withoutACommand(StoreClient client, LockName name, boolean kept) {
        long start = System.nanoTime();
        for (int attempt = 0; ; attempt++) {
            LockName each = new LockName(name + ", attempt " + attempt);
            HeldLock holder = client.grant(each, kept ? LONG : SHORT);
            LockCommand.Acquire dead = StoreClient.queueing(each, Kit.id(), LONG);
            LockCommand.Acquire next = StoreClient.queueing(each, Kit.id(), LONG);
            List<LockReply> queued = client.executeAll(List.of(dead, next));
            if (kept) {
                client.release(each, holder.id(), SHORT, Duration.ZERO);
            }
            Kit.pause(SHORT.plus(Duration.ofNanos(longer(QueueTimes.CLAIM_WINDOW))));
            long sent = System.nanoTime();
            LockCommand.Acquire newcomer = StoreClient.acquiring(each, Kit.id(), LONG);
            List<LockReply> replies = client.executeAll(List.of(newcomer, next));
            if (queued.stream().allMatch(LockReply.Queued.class::isInstance)
                    && System.nanoTime() - sent < Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
                StoreClient.expect(LockReply.Busy.class, newcomer, replies.get(0));
                StoreClient.expect(LockReply.Granted.class, next, replies.get(1));
                return;
            }
            if (System.nanoTime() - start > Kit.SLOW_LIMIT.toNanos()) {
                throw new RuleBroken("every attempt had a call that took too long");
            }
        }
    }

    /** @param share of the next waiter; a reader comes after the withdrawal, as the first for this lock */
    private static void afterAWithdrawal(StoreClient client, LockName name, Share share) {
        HeldLock holder = client.grant(name, LONG);
        AcquisitionId first = client.enqueue(name);
        client.enqueue(name);
        LockCommand.Acquire next = StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), share);
        if (share.isExclusive()) {
            client.execute(next);
        }
        client.release(holder);
        Kit.pause(QueueTimes.CLAIM_WINDOW.dividedBy(2));
        long withdrawn = System.nanoTime();
        client.release(name, first, Duration.ZERO, Duration.ZERO);
        awaitClaim(client, next, withdrawn, System.nanoTime(), 1);
    }

    /** A waiter further behind that withdraws, or an id without a place, changes nothing for the first one. */
    private static void afterReleasesOfOthers(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        client.enqueue(name);
        LockCommand.Acquire next = StoreClient.queueing(name, client.enqueue(name), LONG);
        AcquisitionId last = client.enqueue(name);
        long freed = System.nanoTime();
        client.release(holder);
        long free = System.nanoTime();
        Kit.pause(QueueTimes.CLAIM_WINDOW.dividedBy(2));
        client.release(name, Kit.id(), Duration.ZERO, Duration.ZERO);
        client.release(name, last, Duration.ZERO, Duration.ZERO);
        awaitClaim(client, next, freed, free, 1);
    }

    /** Releases a lock whose first waiter is dead, and grants it to the next after the claim window. */
    static HeldLock awaitPassing(StoreClient client, HeldLock holder, AcquisitionId next) {
        return awaitPassing(client, holder, next, Duration.ZERO, 1);
    }

    /** The same with a minimum hold and several dead waiters. */
    private static HeldLock awaitPassing(
            StoreClient client, HeldLock holder, AcquisitionId next, Duration minimumHold, int dead) {
        long freed = Math.max(System.nanoTime(), holder.notBefore(minimumHold));
        client.release(holder.name(), holder.id(), minimumHold, Duration.ZERO);
        long free = Math.max(System.nanoTime(), holder.received() + longer(minimumHold));
        return awaitClaim(client, StoreClient.queueing(holder.name(), next, LONG), freed, free, dead);
    }

    /**
     * Repeats the acquire of a waiter until it is granted. That must be after the claim windows of the dead waiters before it
     * have ended, not before; and then at once, as the acquire itself passes them over.
     *
     * @param from the earliest beginning of the first claim window
     * @param until the latest beginning of the first claim window
     */
    private static HeldLock awaitClaim(
            StoreClient client, LockCommand.Acquire command, long from, long until, int dead) {
        int before = dead;
        long begun = until;
        while (before > 0) {
            long sent = System.nanoTime();
            LockReply reply = client.execute(command);
            long answered = System.nanoTime();
            if (reply instanceof LockReply.Granted) {
                long kept = answered - from;
                if (kept < dead * Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
                    throw new RuleBroken(
                            "a free lock was reserved for " + dead + " dead waiters for " + Duration.ofNanos(kept)
                                    + " in all, which is shorter than their claim windows, and then granted to the next");
                }
                return StoreClient.held(command, reply, sent);
            }
            StoreClient.expect(LockReply.Queued.class, command, reply);
            if (sent - begun > longer(QueueTimes.CLAIM_WINDOW)) {
                before--; // dropped by this acquire at the latest, which opened the claim window of the next waiter
                begun = answered;
            }
            Kit.pause(Duration.ofMillis(5));
        }
        throw new RuleBroken(
                "the claim windows of " + dead + " dead waiters have ended, but the lock is not granted to the next");
    }

    /** The most that a duration on the store's clock may be on the clock here, as the store may count in milliseconds. */
    static long longer(Duration duration) {
        return duration.isZero() ? 0 : 2 * duration.toNanos() - Kit.slewed(duration) + Kit.TOLERANCE.toNanos();
    }

    @Checks(P7_8)
    default void p7_8_anExpiredLockIsForTheFirstWaiter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            LockCommand lease = StoreClient.acquiring(name, Kit.id(), SHORT);
            LockCommand.Acquire first = StoreClient.queueing(name, Kit.id(), LONG);
            long sent = System.nanoTime();
            List<LockReply> replies = client.executeAll(List.of(lease, first));
            StoreClient.expect(LockReply.Granted.class, lease, replies.get(0));
            expectWaiting(first, replies.get(1), sent + Kit.slewed(SHORT));
            Kit.pause(SHORT.plusMillis(50));
            client.expectBusy(name);
            AcquisitionId newcomer = client.enqueue(name);
            client.release(client.claim(name, first.id()));
            client.claim(name, newcomer);
        });
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " with a minimum hold");
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = client.enqueue(name);
            client.release(name, holder.id(), SHORT, Duration.ZERO);
            LockCommand.Acquire again = StoreClient.queueing(name, first, LONG);
            expectWaiting(again, client.execute(again), holder.notBefore(SHORT));
            client.enqueue(name); // even while the lock has no holder
            Kit.pause(SHORT.plusMillis(50));
            client.expectBusy(name);
            client.claim(name, first);
        });
    }

    /** A grant before this instant is too early; a grant after it shows that the machine is slow. */
    private static void expectWaiting(LockCommand.Acquire command, LockReply reply, long notBefore) {
        if (reply instanceof LockReply.Granted && System.nanoTime() - notBefore >= 0) {
            throw new RuleBroken.TooSlow("every acquire took longer than " + SHORT);
        }
        StoreClient.expect(LockReply.Queued.class, command, reply);
    }
}
