package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;

/**
 * The first waiter of a lock that is busy for {@link #BUSY}. It does not ask before the lock is free.
 *
 * @param acquire what it sends
 * @param queued {@link System#nanoTime} before it queued
 * @param from the same before the time began for which the lock is busy
 * @param to the same after that time had begun
 */
record QuietWaiter(LockCommand.Acquire acquire, long queued, long from, long to) {

    /** Longer than a claim window: one that began before the lock was free is over when it is. */
    static final Duration BUSY = QueueTimes.CLAIM_WINDOW.plus(SHORT);

    /** Whether the machine was quick enough to show that a free lock was refused to a newcomer and granted to this waiter. */
    boolean isServed(StoreClient client) {
        long free = to + ClaimWindowRules.longer(BUSY);
        Kit.pause(Duration.ofNanos(Math.max(0, free - System.nanoTime())));
        LockCommand newcomer = StoreClient.acquiring(acquire.name(), Kit.id(), LONG);
        List<LockReply> replies = client.executeAll(List.of(newcomer, acquire));
        long now = System.nanoTime();
        if (now - from >= Kit.slewed(BUSY.plus(QueueTimes.CLAIM_WINDOW))
                || now - queued >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false;
        }
        StoreClient.expect(LockReply.Busy.class, newcomer, replies.get(0));
        StoreClient.expect(LockReply.Granted.class, acquire, replies.get(1));
        return true;
    }
}
