package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P7_11;
import static dev.holdfast.lock.tck.Rule.P7_16;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

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
import java.util.function.Predicate;

/** P7: a place in the queue lasts while its waiter asks, and the store tells it when to ask. */
interface PlaceRules {

    @Checks(value = P7_16, slow = true)
    default void p7_16_aPlaceLastsWhileItsWaiterAsks(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        List<Predicate<LockName>> cases = new ArrayList<>(List.of(
                name -> dropsTheDeadOnly(client, name, WRITER, WRITER),
                name -> keepsTheQuiet(client, name, WRITER),
                name -> reservesNothingForTheDead(client, name)));
        if (client.store().capabilities().contains(Capability.SHARES)) {
            cases.add(name -> dropsTheDeadOnly(client, name, READER, WRITER));
            cases.add(name -> dropsTheDeadOnly(client, name, WRITER, READER));
            cases.add(name -> keepsTheQuiet(client, name, READER));
        }
        ConcurrentCalls.repeatUntilShown(cases, "every attempt was too slow to ask within " + QueueTimes.WAITER_TTL);
    }

    /** A lease that ends by itself leaves no claim window to a waiter that was dead before. */
    private static boolean reservesNothingForTheDead(StoreClient client, LockName name) {
        Duration lease = QueueTimes.WAITER_TTL.plusSeconds(1);
        HeldLock holder = client.grant(name, lease);
        client.enqueue(name);
        long dead = System.nanoTime() + ClaimWindowRules.longer(QueueTimes.WAITER_TTL);
        LockCommand.Acquire living = StoreClient.queueing(name, Kit.id(), LONG);
        Kit.pause(QueueTimes.WAITER_TTL.dividedBy(2));
        client.execute(living);
        if (dead - holder.notBefore(lease) >= 0) {
            return false; // too slow: the waiter may have died at the free lock
        }
        Kit.pause(
                Duration.ofNanos(Math.max(0, holder.received() + ClaimWindowRules.longer(lease) - System.nanoTime())));
        LockReply reply = client.execute(living);
        if (!(reply instanceof LockReply.Granted)) {
            throw new RuleBroken("the first waiter had not asked for " + QueueTimes.WAITER_TTL
                    + " when the lease ended, and still delays the next, which got " + reply);
        }
        return true;
    }

    /** Whether the machine was quick enough to show that a waiter which asked once has its place until shortly before it may be dropped. */
    private static boolean keepsTheQuiet(StoreClient client, LockName name, Share share) {
        HeldLock holder = client.grant(name, LONG);
        LockCommand.Acquire waiter = StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), share);
        long sent = System.nanoTime();
        client.execute(waiter);
        Kit.pause(QueueTimes.WAITER_TTL.minus(QueueTimes.CLAIM_WINDOW));
        LockCommand release = new LockCommand.Release(name, holder.id(), Duration.ZERO, Duration.ZERO);
        LockCommand newcomer = StoreClient.queueing(name, Kit.id(), LONG);
        List<LockReply> replies = client.executeAll(List.of(release, newcomer, waiter));
        long passed = System.nanoTime() - sent;
        if (passed >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false;
        }
        if (!(replies.get(1) instanceof LockReply.Queued && replies.get(2) instanceof LockReply.Granted)) {
            throw new RuleBroken(
                    "a waiter has a place for " + QueueTimes.WAITER_TTL + ", but " + Duration.ofNanos(passed)
                            + " after it had asked the lock was released, and another id got " + replies.get(1)
                            + " and the waiter " + replies.get(2));
        }
        return true;
    }

    /**
     * Whether the living waiter was quick enough that its place must have lasted.
     *
     * @param dead what the waiters want that do not ask again
     */
    private static boolean dropsTheDeadOnly(StoreClient client, LockName name, Share held, Share dead) {
        Duration half = QueueTimes.WAITER_TTL.dividedBy(2);
        HeldLock holder = client.grant(name, held, LONG);
        client.enqueue(name, dead);
        long sent = System.nanoTime();
        AcquisitionId asking = client.enqueue(name);
        client.enqueue(name, dead); // behind a living one
        AcquisitionId late = client.enqueue(name); // as well, and asks again then
        long longest = 0;
        AcquisitionId later = Kit.id();
        for (int time = 0; time < 2; time++) {
            Kit.pause(half.plus(Kit.TOLERANCE));
            if (time == 1) {
                client.expectWaiting(name, late);
            }
            client.expectWaiting(name, later);
            long again = System.nanoTime();
            client.expectWaiting(name, asking);
            longest = Math.max(longest, System.nanoTime() - sent);
            sent = again;
        }
        LockCommand.Acquire newcomer = StoreClient.queueing(name, later, LONG);
        LockCommand release = new LockCommand.Release(name, holder.id(), Duration.ZERO, Duration.ZERO, held);
        LockCommand.Acquire turn = StoreClient.queueing(name, asking, LONG);
        LockCommand next = new LockCommand.Release(name, asking, Duration.ZERO, Duration.ZERO);
        List<String> living = List.of(turn.owner(), newcomer.owner(), StoreClient.owner(late));
        List<String> listed = client.store().capabilities().contains(Capability.LIST)
                ? client.find(name).waitingOwners()
                : living;
        long released = System.nanoTime();
        List<LockReply> replies = client.executeAll(List.of(release, newcomer, turn, next, newcomer));
        long now = System.nanoTime();
        if (now - released >= Kit.slewed(QueueTimes.CLAIM_WINDOW)
                || Math.max(longest, now - sent) >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false; // too slow to show anything
        }
        if (!(replies.get(1) instanceof LockReply.Queued)) {
            throw new RuleBroken("a waiter that asked just now has lost its place: the next one got " + replies.get(1));
        }
        if (!(replies.get(2) instanceof LockReply.Granted)) {
            throw new RuleBroken("a waiter that has not asked for " + QueueTimes.WAITER_TTL
                    + " still delays the next, which got " + replies.get(2));
        }
        if (!(replies.get(4) instanceof LockReply.Granted)) {
            throw new RuleBroken("a waiter behind a living one has not asked for " + QueueTimes.WAITER_TTL
                    + ", and still delays the next or has kept its place, as the next got " + replies.get(4));
        }
        if (!listed.equals(living)) {
            throw new RuleBroken("the living waiters are " + living + ", but listed are " + listed);
        }
        return true;
    }

    @Checks(P7_11)
    default void p7_11_aWaiterIsToldWhenToRetry(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        for (Duration lease : List.of(QueueTimes.CLAIM_WINDOW, LONG)) {
            kit.withinClaimWindow(name -> {
                HeldLock holder = client.grant(new LockName(name + " for " + lease), lease);
                for (int before = 0; before < 4; before++) {
                    expectAdvice(client, holder.name(), Kit.id(), holder.remaining(), before);
                }
            });
        }
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " kept");
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = client.enqueue(name);
            Duration minimum = QueueTimes.CLAIM_WINDOW; // it ends after the window of this check
            client.release(name, holder.id(), minimum, Duration.ZERO);
            expectAdvice(client, name, first, minimum, 0);
        });
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " reserved");
            HeldLock holder = client.grant(name, LONG);
            client.enqueue(name);
            client.release(holder);
            expectAdvice(client, name, Kit.id(), Duration.ZERO, 1);
        });
    }

    private static void expectAdvice(
            StoreClient client, LockName name, AcquisitionId id, Duration untilFree, int before) {
        LockCommand command = StoreClient.queueing(name, id, LONG);
        Duration retryAfter = StoreClient.expect(LockReply.Queued.class, command, client.execute(command))
                .retryAfter();
        Duration latest = QueueTimes.retryAfter(untilFree, before);
        if (retryAfter.compareTo(latest) > 0) {
            throw new RuleBroken("a waiter with " + before + " before it, of a lock that is free in " + untilFree
                    + ", must retry after " + latest + " at the latest, but was told " + retryAfter);
        }
        boolean isNotified = client.store().capabilities().contains(Capability.NOTIFICATIONS);
        if (before == 0 && !isNotified && retryAfter.compareTo(QueueTimes.CLAIM_WINDOW) >= 0) {
            throw new RuleBroken("the store has no notifications, and the first waiter of " + SampleNames.escaped(name)
                    + " was told to retry after " + retryAfter + ": it may miss its claim window of "
                    + QueueTimes.CLAIM_WINDOW);
        }
    }
}
