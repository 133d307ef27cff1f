package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P10_5;
import static dev.holdfast.lock.tck.Rule.P10_7;
import static dev.holdfast.lock.tck.Rule.P2_11;
import static dev.holdfast.lock.tck.Rule.P3_1;
import static dev.holdfast.lock.tck.Rule.P3_2;
import static dev.holdfast.lock.tck.Rule.P3_3;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** P2, P3 and P10 as the holder of a {@link Lease} sees them. */
interface LeaseRules {

    Duration SECOND = Duration.ofSeconds(1);

    Duration TWO_SECONDS = Duration.ofSeconds(2);

    @Checks(P2_11)
    default void p2_11_fencingTokensIncreaseAcrossStores(Kit kit) throws InterruptedException {
        DistributedLock one = kit.locks(LONG).named(JOB.value());
        DistributedLock other = kit.locks(LONG).named(JOB.value());
        long last = 0;
        for (int i = 0; i < 20; i++) {
            try (Lease lease = kit.acquire(i % 2 == 0 ? one : other)) {
                if (lease.fencingToken() <= last) {
                    throw new RuleBroken(
                            "fencing token " + lease.fencingToken() + " is not greater than the one before, " + last);
                }
                last = lease.fencingToken();
            }
        }
    }

    @Checks(P3_1)
    default void p3_1_aLeaseIsLostBeforeTheNextIsGranted(Kit kit) throws InterruptedException {
        DistributedLock first = kit.locks(TWO_SECONDS).named(JOB.value()).withFixedLease(TWO_SECONDS);
        DistributedLock second = kit.locks(LONG).named(JOB.value());
        Lease lease = kit.acquire(first);
        AtomicInteger losses = countLosses(lease);
        try (Lease next = kit.acquire(second)) {
            expectOver(lease, next);
        }
        expectNotifiedOnce(kit, losses);
    }

    @Checks(P3_2)
    default void p3_2_aLeaseThatWasEndedAtTheStoreIsLost(Kit kit) throws InterruptedException {
        StoreClient client = kit.client();
        RecordingStore store = new RecordingStore(client.store(), kit.trace());
        DistributedLock lock = kit.locks(store, SECOND).named(JOB.value());
        long start = System.nanoTime();
        do {
            Lease lease = kit.acquire(lock);
            AtomicInteger losses = countLosses(lease);
            AcquisitionId id = store.lastGrant().command().id();

            client.release(JOB, id, Duration.ZERO, Duration.ZERO);

            long ended = System.nanoTime();
            kit.await("the holder of a lease that was ended at the store is notified", () -> {
                expectNoRenewalAfter(ended, store, id);
                return losses.get() > 0;
            });
            if (lease.state() != LeaseState.LOST) {
                throw new RuleBroken(
                        "the holder was notified of the loss, but the state of the lease is " + lease.state());
            }
            expectNotifiedOnce(kit, losses);
            if (store.calls().stream()
                    .anyMatch(each -> each.isRenewalOf(id) && each.reply() instanceof LockReply.Gone)) {
                return;
            }
            // The lease expired before it was renewed, which shows nothing.
        } while (System.nanoTime() - start < Kit.REPEAT_LIMIT.toNanos());
        throw new RuleBroken(
                "a lease was ended at the store, and no renewal was answered Gone; repeated for " + Kit.REPEAT_LIMIT);
    }

    private static void expectNoRenewalAfter(long ended, RecordingStore store, AcquisitionId id) {
        for (RecordingStore.Call each : store.calls()) {
            if (each.isRenewalOf(id) && each.sent() - ended > 0 && each.reply() instanceof LockReply.Granted) {
                throw new RuleBroken("a lease was ended at the store, but its renewal was answered " + each.reply());
            }
        }
    }

    @Checks(P3_3)
    default void p3_3_aLeaseIsLostInTimeWhileTheStoreIsUnreachable(Kit kit) throws InterruptedException {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        Locks locks = kit.locks(connection.configuration(), TWO_SECONDS);
        LossRecorder recorder = new LossRecorder();
        locks.addListener(recorder);
        DistributedLock cutOff = locks.named(JOB.value());
        DistributedLock other = kit.locks(LONG).named(JOB.value());
        long start = System.nanoTime();
        do {
            Lease lease = kit.acquire(cutOff);
            AtomicInteger losses = countLosses(lease);

            connection.cut();

            try (Lease next = kit.acquire(other)) {
                expectOver(lease, next);
            }
            expectNotifiedOnce(kit, losses);
            connection.heal();
            if (recorder.wasUnconfirmed(kit, lease)) {
                return;
            }
            // No renewal was due before the loss, as the machine stalled for most of the lease, which shows nothing.
        } while (System.nanoTime() - start < Kit.REPEAT_LIMIT.toNanos());
        throw new RuleBroken("a lease of " + TWO_SECONDS
                + " was lost while the store was unreachable, and was not unconfirmed before;" + " repeated for "
                + Kit.REPEAT_LIMIT);
    }

    @Checks(P10_5)
    default void p10_5_aHeldLeaseIsRenewedUntilItsRelease(Kit kit) throws InterruptedException {
        StoreClient client = kit.client();
        RecordingStore store = new RecordingStore(kit.anotherClient().store(), kit.trace());
        DistributedLock lock = kit.locks(store, SECOND).named(JOB.value());
        Lease lease = heldForLong(kit, lock, store, client);
        lease.close();

        HeldLock next = client.awaitGrant(JOB, LONG);
        Kit.pause(SECOND);
        client.expectHeld(next);
    }

    @Checks(P10_7)
    default void p10_7_aFixedLeaseIsExtendedToEachLength(Kit kit) throws InterruptedException {
        StoreClient client = kit.client();
        RecordingStore store = new RecordingStore(kit.anotherClient().store(), kit.trace());
        DistributedLock lock = kit.locks(store, LONG).named(JOB.value());
        Lease lease = kit.acquire(lock.withFixedLease(LONG));
        for (int factor : new int[] {2, 8, 3}) { // the last is less than the time left
            Duration length = LONG.multipliedBy(factor);
            Duration longest = LONG.multipliedBy(Math.max(factor, factor == 3 ? 8 : 0));
            try {
                lease.extend(length);
            } catch (LockUnavailableException e) {
                throw new RuleBroken(
                        "a lease of " + LONG + " could not be extended to " + length + ": " + e.getMessage());
            }
            Duration left = store.lastRenewal(); // not the lease's: a store may permit grants for a shorter time
            if (left.compareTo(longest) > 0 || left.compareTo(longest.minus(LONG.dividedBy(2))) < 0) {
                throw new RuleBroken(
                        "a lease was extended to " + length + " and has " + left + " left, not " + longest);
            }
        }
        client.expectBusy(JOB);
        lease.close();
        client.grant(JOB, LONG);
    }

    /**
     * Holds a lease for twice its length. A lease that was not renewed in time, on a slow machine, shows nothing: the next one is twice as
     * long.
     */
    private static Lease heldForLong(Kit kit, DistributedLock lock, RecordingStore store, StoreClient other)
            throws InterruptedException {
        long start = System.nanoTime();
        Duration length = SECOND;
        do {
            Lease lease = kit.acquire(lock.withLease(length));
            RecordingStore.Call granted = store.lastGrant();
            Kit.pause(length.multipliedBy(2));
            LockCommand.Acquire command = StoreClient.acquiring(JOB, Kit.id(), LONG);
            LockReply reply = other.execute(command);
            boolean held = lease.isHeld();
            expectRenewals(store, granted);
            if (held) {
                StoreClient.expect(LockReply.Busy.class, command, reply);
                return lease;
            }
            other.release(JOB, command.id(), Duration.ZERO, Duration.ZERO);
            length = length.multipliedBy(2);
        } while (System.nanoTime() - start < Kit.SLOW_LIMIT.toNanos());
        throw new RuleBroken("every lease was lost for " + Kit.SLOW_LIMIT + ", even one of " + length.dividedBy(2)
                + ", though the store was reachable");
    }

    /** Checks that each renewal that was answered before the end of the lease was granted. */
    private static void expectRenewals(RecordingStore store, RecordingStore.Call granted) {
        long end = end(granted);
        for (RecordingStore.Call each : store.calls()) {
            if (each.isRenewalOf(granted.command().id())) {
                if (each.reply() instanceof LockReply.Granted) {
                    end = Math.max(end, end(each));
                } else if (each.reply() instanceof LockReply.Gone && each.answered() - end < 0) {
                    throw new RuleBroken("a lease had " + Duration.ofNanos(end - each.sent())
                            + " remaining, but its renewal was answered " + each.reply());
                }
            }
        }
    }

    private static long end(RecordingStore.Call granted) {
        LockReply.Granted reply = StoreClient.expect(LockReply.Granted.class, granted.command(), granted.reply());
        return granted.sent() + Kit.slewed(reply.remaining());
    }

    private static AtomicInteger countLosses(Lease lease) {
        AtomicInteger losses = new AtomicInteger();
        lease.onLost(loss -> losses.incrementAndGet());
        return losses;
    }

    private static void expectOver(Lease lease, Lease next) {
        // In this order: the state is read once the next holder is known to hold the lock.
        boolean nextIsHeld = next.isHeld();
        LeaseState state = lease.state();
        if (nextIsHeld && state != LeaseState.LOST) {
            throw new RuleBroken("the next holder has the lock, but for the holder before it the lease is still "
                    + state + ", with " + lease.remaining() + " remaining");
        }
    }

    private static void expectNotifiedOnce(Kit kit, AtomicInteger losses) {
        kit.await("the holder is notified of the loss", () -> losses.get() > 0);
        Kit.pause(Duration.ofMillis(200));
        if (losses.get() != 1) {
            throw new RuleBroken("the holder was notified of the loss " + losses.get() + " times");
        }
    }
}
