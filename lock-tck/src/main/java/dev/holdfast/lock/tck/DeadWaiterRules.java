package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Rule.P8_11;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** P8: a waiter is notified although waiters before it died. */
interface DeadWaiterRules {

    @Checks(value = P8_11, slow = true)
    default void p8_11_aWaiterBehindDeadOnesIsNotified(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        StoreClient waiting = kit.anotherClient();
        NotificationRecorder subscription = kit.subscribe(waiting);
        ConcurrentCalls.repeatUntilShown(
                List.of(attempt -> isNotified(kit, client, waiting, subscription, attempt)),
                "every attempt was too slow to ask within " + QueueTimes.WAITER_TTL);
    }

    /** Whether the machine was quick enough to show that each event notifies the last waiter of its lock. */
    private static boolean isNotified(
            Kit kit, StoreClient client, StoreClient waiting, NotificationRecorder subscription, LockName attempt) {
        long queued = System.nanoTime();
        boolean hasShares = client.store().capabilities().contains(Capability.SHARES);
        List<DeadWaiter> locks = Stream.of(DeadWaiter.Event.values())
                .filter(event -> hasShares || !event.needsShares())
                .map(event -> DeadWaiter.join(client, waiting, event, attempt))
                .toList();
        long dead = System.nanoTime() + ClaimWindowRules.longer(QueueTimes.WAITER_TTL);
        Kit.pause(QueueTimes.WAITER_TTL.dividedBy(2));
        long asked = System.nanoTime();
        locks.forEach(lock -> lock.askAgain(waiting));
        if (System.nanoTime() - queued >= Kit.slewed(QueueTimes.WAITER_TTL)) {
            return false; // a waiter that should live may have lost its place
        }
        Kit.pause(Duration.ofNanos(Math.max(0, dead - System.nanoTime())));
        locks.stream().filter(lock -> lock.event().passesOver()).forEach(lock -> lock.free(client));
        long missed = System.nanoTime() + ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW);
        for (DeadWaiter lock : locks) {
            if (lock.event().passesOver()) {
                Kit.pause(Duration.ofNanos(Math.max(0, missed - System.nanoTime())));
            }
            subscription.clear();
            lock.cause(client);
            if (System.nanoTime() - asked >= Kit.slewed(QueueTimes.WAITER_TTL)) {
                return false;
            }
            subscription.await(kit, lock.event().text(), lock.name(), lock.last());
        }
        return true;
    }
}
