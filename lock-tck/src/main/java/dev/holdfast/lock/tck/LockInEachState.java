package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.ShareRules.ONE_OF_TWO;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;

/**
 * A lock in each state that a store keeps: held, held and waited for, kept busy by a minimum hold, free with a tombstone, reserved for a
 * waiter, and with a share that is held and one that is kept.
 */
final class LockInEachState {

    private LockInEachState() {}

    /** Checks that the operation changes none of these locks. */
    static void isUnchangedBy(Runnable operation, Kit kit, StoreClient client) {
        boolean queues = client.store().capabilities().contains(Capability.QUEUE);
        boolean shares = client.store().capabilities().contains(Capability.SHARES);
        kit.withinClaimWindow(prefix -> {
            HeldLock held = client.grant(new LockName(prefix + " held"), LONG);
            LockName kept = new LockName(prefix + " kept");
            client.release(kept, client.grant(kept, LONG).id(), LONG, Duration.ZERO);
            LockName remembered = new LockName(prefix + " remembered");
            AcquisitionId late = Kit.id();
            client.release(remembered, late, Duration.ZERO, LONG);
            LockName free = new LockName(prefix + " reserved");
            HeldLock holder = client.grant(free, LONG);
            AcquisitionId waiter = queues ? client.enqueue(free) : Kit.id();
            if (queues) {
                client.enqueue(free); // comes first if the operation drops the waiter
            }
            LockName awaited = new LockName(prefix + " awaited");
            HeldLock busy = client.grant(awaited, LONG);
            AcquisitionId first = queues ? client.enqueue(awaited) : Kit.id();
            AcquisitionId second = queues ? client.enqueue(awaited) : Kit.id();
            LockName shared = new LockName(prefix + " shared");
            HeldLock beside = shares ? client.grant(shared, ONE_OF_TWO, LONG) : held;
            if (shares) {
                client.release(client.grant(shared, ONE_OF_TWO, LONG), LONG, Duration.ZERO);
            }
            long released = System.nanoTime();
            client.release(holder);

            operation.run();

            client.expectHeld(held);
            client.expectBusy(held.name());
            client.expectBusy(kept);
            client.expectGone(StoreClient.acquiring(remembered, late, LONG));
            if (queues) {
                if (System.nanoTime() - released < Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
                    client.expectBusy(free); // for every other id
                }
                client.claim(free, waiter);
                client.release(busy);
                client.expectWaiting(awaited, second);
                client.claim(awaited, first);
            }
            client.expectHeld(beside);
            if (shares) {
                client.expectBusy(shared, ONE_OF_TWO);
            }
        });
    }
}
