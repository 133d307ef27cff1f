package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P10_5;
import static dev.holdfast.lock.tck.Rule.P2_11;
import static dev.holdfast.lock.tck.Rule.P3_1;
import static dev.holdfast.lock.tck.Rule.P3_2;
import static dev.holdfast.lock.tck.Rule.P3_3;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** P2, P3 and P10 as the holder of a {@link Lease} sees them. */
interface LeaseRules {

    Duration SECOND = Duration.ofSeconds(1);

    Duration TWO_SECONDS = Duration.ofSeconds(2);

    @Checks(P2_11)
    default void p2_11_fencingTokensRiseAcrossStores(Kit kit) throws InterruptedException {
        DistributedLock one = kit.locks(LONG).named(JOB.value());
        DistributedLock other = kit.locks(LONG).named(JOB.value());
        long last = 0;
        for (int i = 0; i < 20; i++) {
            try (Lease lease = kit.acquire(i % 2 == 0 ? one : other)) {
                if (lease.fencingToken() <= last) {
                    throw new Broken("fencing token " + lease.fencingToken()
                            + " is not greater than the one before it, " + last);
                }
                last = lease.fencingToken();
            }
        }
    }

    @Checks(P3_1)
    default void p3_1_aLeaseIsOverBeforeTheNextIsGranted(Kit kit) throws InterruptedException {
        DistributedLock first = kit.locks(LONG).named(JOB.value()).withFixedLease(TWO_SECONDS);
        DistributedLock second = kit.locks(LONG).named(JOB.value());
        Lease lease = kit.acquire(first);
        AtomicInteger told = countLosses(lease);
        try (Lease next = kit.acquire(second)) {
            expectOver(lease, next);
        }
        expectToldOnce(kit, told);
    }

    @Checks(P3_2)
    default void p3_2_aLeaseThatWasEndedAtTheStoreIsLost(Kit kit) throws InterruptedException {
        Client client = kit.client();
        Eavesdropper store = new Eavesdropper(client.store());
        DistributedLock lock = kit.locks(store, SECOND).named(JOB.value());
        long start = System.nanoTime();
        do {
            Lease lease = kit.acquire(lock);
            AtomicInteger told = countLosses(lease);
            AcquisitionId id = store.granted().step().id();

            client.release(JOB, id, Duration.ZERO, Duration.ZERO);

            long ended = System.nanoTime();
            kit.await("the holder is told that its lease was ended at the store", () -> {
                expectNoRenewalAfter(ended, store, id);
                return told.get() > 0;
            });
            if (lease.state() != LeaseState.LOST) {
                throw new Broken("the holder was told of the loss, but the state is " + lease.state());
            }
            expectToldOnce(kit, told);
            if (store.asked().stream().anyMatch(each -> each.isRenewalOf(id) && each.answer() instanceof Answer.Gone)) {
                return;
            }
            // No renewal came before the lease was over for its holder too: nothing was shown.
        } while (System.nanoTime() - start < Kit.HANG.toNanos());
        throw new Broken("leases that were ended at the store were lost only when they were over for their holders too,"
                + " for " + Kit.HANG + ": no renewal was answered Gone");
    }

    private static void expectNoRenewalAfter(long ended, Eavesdropper store, AcquisitionId id) {
        for (Asked each : store.asked()) {
            if (each.isRenewalOf(id) && each.sent() - ended > 0 && each.answer() instanceof Answer.Granted) {
                throw new Broken("a lease was ended at the store, and then a renewal was answered " + each.answer());
            }
        }
    }

    @Checks(P3_3)
    default void p3_3_aLeaseIsLostInTimeWhileTheStoreIsUnreachable(Kit kit) throws InterruptedException {
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Locks locks = kit.locks(way.configuration(), TWO_SECONDS);
        Doubts doubts = new Doubts();
        locks.addListener(doubts);
        DistributedLock cutOff = locks.named(JOB.value());
        DistributedLock other = kit.locks(LONG).named(JOB.value());
        long start = System.nanoTime();
        do {
            Lease lease = kit.acquire(cutOff);
            AtomicInteger told = countLosses(lease);

            way.cut();

            try (Lease next = kit.acquire(other)) {
                expectOver(lease, next);
            }
            expectToldOnce(kit, told);
            way.heal();
            if (doubts.cameBeforeTheLoss(kit, lease)) {
                return;
            }
            // Nobody asked for a renewal in time, so nothing was shown: the machine stood still for most of the lease.
        } while (System.nanoTime() - start < Kit.HANG.toNanos());
        throw new Broken("leases of " + TWO_SECONDS + " were lost while the store was unreachable, and for " + Kit.HANG
                + " none of them was unconfirmed before: no renewal was found unanswered in time");
    }

    @Checks(P10_5)
    default void p10_5_aHeldLeaseIsRenewedUntilItsRelease(Kit kit) throws InterruptedException {
        Client client = kit.client();
        Eavesdropper store = new Eavesdropper(kit.anotherClient().store());
        DistributedLock lock = kit.locks(store, SECOND).named(JOB.value());
        Lease lease = heldForLong(kit, lock, store, client);
        lease.close();

        Held next = client.awaitGrant(JOB, LONG);
        Kit.pause(SECOND);
        client.expectHeld(next);
    }

    /** Twice as long as the store would keep it without a renewal. A lease whose renewal was not asked for in time shows nothing. */
    private static Lease heldForLong(Kit kit, DistributedLock lock, Eavesdropper store, Client other)
            throws InterruptedException {
        long start = System.nanoTime();
        do {
            Lease lease = kit.acquire(lock);
            Asked granted = store.granted();
            Kit.pause(SECOND.plus(SECOND));
            Step.Acquire step = Client.acquiring(JOB, Kit.id(), LONG);
            Answer answer = other.ask(step);
            boolean held = lease.isHeld();
            expectRenewals(store, granted);
            if (held) {
                Client.expect(Answer.Busy.class, step, answer);
                return lease;
            }
            other.release(JOB, step.id(), Duration.ZERO, Duration.ZERO);
        } while (System.nanoTime() - start < Kit.HANG.toNanos());
        throw new Broken("for " + Kit.HANG + " leases of " + SECOND + " were lost, though the store could be asked");
    }

    /** That each renewal which was answered before its lease was over was granted. */
    private static void expectRenewals(Eavesdropper store, Asked granted) {
        long end = end(granted);
        for (Asked each : store.asked()) {
            if (each.isRenewalOf(granted.step().id())) {
                if (each.answer() instanceof Answer.Granted) {
                    end = Math.max(end, end(each));
                } else if (each.answer() instanceof Answer.Gone && each.answered() - end < 0) {
                    throw new Broken("a lease lasted for " + Duration.ofNanos(end - each.sent())
                            + " yet, and its renewal was answered " + each.answer());
                }
            }
        }
    }

    private static long end(Asked granted) {
        Answer.Granted answer = Client.expect(Answer.Granted.class, granted.step(), granted.answer());
        return granted.sent() + Kit.slewed(answer.remaining());
    }

    private static AtomicInteger countLosses(Lease lease) {
        AtomicInteger told = new AtomicInteger();
        lease.onLost(loss -> told.incrementAndGet());
        return told;
    }

    private static void expectOver(Lease lease, Lease next) {
        // The order of these two is what makes it a proof: whoever looks first looks too early.
        boolean nextIsHeld = next.isHeld();
        LeaseState state = lease.state();
        if (nextIsHeld && state != LeaseState.LOST) {
            throw new Broken("the next holder has the lock, and the holder before it still believes that its lease is "
                    + state + ", with " + lease.remaining() + " remaining");
        }
    }

    private static void expectToldOnce(Kit kit, AtomicInteger told) {
        kit.await("the holder is told of its loss", () -> told.get() > 0);
        Kit.pause(Duration.ofMillis(200));
        if (told.get() != 1) {
            throw new Broken("the holder was told of its loss " + told.get() + " times");
        }
    }
}
