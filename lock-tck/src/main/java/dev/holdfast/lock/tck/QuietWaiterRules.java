package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.QuietWaiter.BUSY;
import static dev.holdfast.lock.tck.Rule.P7_17;

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
import java.util.Optional;
import java.util.function.Predicate;

/**
 * P7: the turn of a waiter does not depend on whether it asks while it has to wait. Other rules ask again and again, and each time
 * a store may put right what an earlier command should have written.
 */
interface QuietWaiterRules {

    @Checks(value = P7_17, slow = true)
    default void p7_17_aQuietWaiterGetsItsTurn(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        List<Predicate<LockName>> cases = new ArrayList<>(List.of(
                name -> isServed(client, behindAClaimedLease(client, name)),
                name -> isServed(client, behindARenewedLease(client, name)),
                name -> isServed(client, behindAMinimumHold(client, name)),
                name -> claimsLate(client, name, ShareRules.WRITER)));
        if (client.store().capabilities().contains(Capability.SHARES)) {
            cases.add(name -> isServed(client, behindTwoReaders(client, name)));
            cases.add(name -> claimsLate(client, name, ShareRules.READER));
            QuietShares.ALL.forEach(shares -> cases.add(name -> shares.arePassedOver(client, name)));
        }
        ConcurrentCalls.repeatUntilShown(cases, "every attempt took longer than " + QueueTimes.CLAIM_WINDOW);
    }

    /** The first waiter was granted the lock and died; the second had queued before that. */
    private static Optional<QuietWaiter> behindAClaimedLease(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        long queued = System.nanoTime();
        AcquisitionId first = client.enqueue(name);
        LockCommand.Acquire second = StoreClient.queueing(name, client.enqueue(name), LONG);
        client.release(holder);
        long sent = System.nanoTime();
        return isClaimed(client, StoreClient.queueing(name, first, BUSY), queued)
                ? Optional.of(new QuietWaiter(second, queued, sent, System.nanoTime()))
                : Optional.empty();
    }

    /** A holder died after it had renewed a lease that would have ended sooner. */
    private static Optional<QuietWaiter> behindARenewedLease(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, SHORT);
        long queued = System.nanoTime();
        LockCommand.Acquire waiter = StoreClient.queueing(name, Kit.id(), LONG);
        LockReply queuing = client.execute(waiter);
        long sent = System.nanoTime();
        LockReply renewed = client.renew(holder, BUSY);
        return queuing instanceof LockReply.Queued && renewed instanceof LockReply.Granted
                ? Optional.of(new QuietWaiter(waiter, queued, sent, System.nanoTime()))
                : Optional.empty();
    }

    private static Optional<QuietWaiter> behindAMinimumHold(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        long queued = System.nanoTime();
        LockCommand.Acquire waiter = StoreClient.queueing(name, client.enqueue(name), LONG);
        client.release(name, holder.id(), BUSY, Duration.ZERO);
        return Optional.of(new QuietWaiter(waiter, queued, holder.sent(), holder.received()));
    }

    /** The claim window of a writer begins when the last reader in its way has died, not the first. */
    private static Optional<QuietWaiter> behindTwoReaders(StoreClient client, LockName name) {
        LockCommand.Acquire waiter = StoreClient.queueing(name, Kit.id(), LONG);
        long sent = System.nanoTime();
        List<LockReply> replies = client.executeAll(List.of(
                StoreClient.withShare(StoreClient.acquiring(name, Kit.id(), SHORT), ShareRules.READER),
                StoreClient.withShare(StoreClient.acquiring(name, Kit.id(), BUSY), ShareRules.READER),
                waiter));
        return replies.get(2) instanceof LockReply.Queued
                ? Optional.of(new QuietWaiter(waiter, sent, sent, System.nanoTime()))
                : Optional.empty();
    }

    private static boolean isServed(StoreClient client, Optional<QuietWaiter> waiter) {
        return waiter.map(each -> each.isServed(client)).orElse(false);
    }

    /**
     * A first waiter that asks after its claim window takes the lock, as no other id has asked: only an acquire passes it over, not a
     * withdrawal, another release or a renewal.
     */
    private static boolean claimsLate(StoreClient client, LockName name, Share share) {
        HeldLock holder = client.grant(name, LONG);
        long queued = System.nanoTime();
        AcquisitionId first = client.enqueue(name, share);
        client.enqueue(name, share);
        AcquisitionId leaving = client.enqueue(name);
        client.release(holder);
        Kit.pause(Duration.ofNanos(ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW)));
        client.expectGone(client.renewing(holder, LONG));
        client.release(name, leaving, Duration.ZERO, Duration.ZERO);
        client.release(name, Kit.id(), share, Duration.ZERO, LONG);
        return isClaimed(client, StoreClient.withShare(StoreClient.queueing(name, first, LONG), share), queued);
    }

    /** Whether the first waiter is granted the lock; false if its place may have expired before. */
    private static boolean isClaimed(StoreClient client, LockCommand.Acquire command, long queued) {
        LockReply reply = client.execute(command);
        if (System.nanoTime() - queued >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false;
        }
        StoreClient.expect(LockReply.Granted.class, command, reply);
        return true;
    }
}
