package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P7_13;
import static dev.holdfast.lock.tck.Rule.P7_14;
import static dev.holdfast.lock.tck.Rule.P8_6;
import static dev.holdfast.lock.tck.Rule.P8_7;
import static dev.holdfast.lock.tck.Rule.P8_8;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** P7 and P8 as a caller that waits through {@link Locks} sees them. */
interface QueuedCallerRules {

    /** Enough turns to notice that one notification in two, or in ten, is lost. */
    int TURNS = 24;

    @Checks(P7_13)
    default void p7_13_callersAreGrantedTheLockInTheirOrder(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        List<RecordingStore> stores = new ArrayList<>();
        List<Locks> locks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            stores.add(new RecordingStore(kit.anotherClient().store(), kit.trace()));
            locks.add(kit.locks(stores.get(i), LONG));
        }
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            List<String> granted = new CopyOnWriteArrayList<>();
            List<WaitingCaller> waiters = new ArrayList<>();
            for (int i = 0; i < locks.size(); i++) {
                String caller = "first of " + i;
                waiters.add(new WaitingCaller(
                        locks.get(i).named(name.value()), kit.contract.patience(), () -> granted.add(caller)));
                RecordingStore store = stores.get(i);
                kit.await("the waiter is queued", () -> store.hasQueued(name));
            }
            for (int i = 0; i < 3; i++) {
                waiters.add(new WaitingCaller(
                        locks.get(0).named(name.value()), kit.contract.patience(), () -> granted.add("later of 0")));
            }
            client.release(holder);
            waiters.forEach(WaitingCaller::join);
            expectOrder(granted, "first of 0", "first of 1", "first of 2");
            expectOrder(granted, "first of 0", "later of 0");
        });
    }

    private static void expectOrder(List<String> granted, String... order) {
        for (int i = 1; i < order.length; i++) {
            if (granted.indexOf(order[i - 1]) > granted.indexOf(order[i])) {
                throw new RuleBroken("callers arrived in the order " + String.join(", ", order)
                        + ", but were granted the lock in the order " + String.join(", ", granted));
            }
        }
    }

    @Checks(P7_14)
    default void p7_14_tryAcquireDoesNotOvertake(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        Locks locks = kit.locks(LONG);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId waiter = client.enqueue(name);
            client.release(holder);
            DistributedLock lock = locks.named(name.value());
            expectGranted(lock.tryAcquire(), false);
            client.release(client.claim(name, waiter));
            expectGranted(lock.tryAcquire(), true);
        });
    }

    private static void expectGranted(Optional<Lease> lease, boolean expected) {
        lease.ifPresent(Lease::close);
        if (lease.isPresent() != expected) {
            throw new RuleBroken(
                    "tryAcquire() " + (expected ? "was refused a free lock without waiters" : "overtook a waiter"));
        }
    }

    @Checks(P8_6)
    default void p8_6_aWaiterDoesNotPoll(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        RecordingStore store = new RecordingStore(kit.anotherClient().store(), kit.trace());
        Locks locks = kit.locks(store, LONG);
        HeldLock holder = client.grant(JOB, LONG);
        long start = System.nanoTime();
        WaitingCaller waiter = new WaitingCaller(locks.named(JOB.value()), kit.contract.patience(), () -> {});
        kit.await("the waiter is queued", () -> store.hasQueued(JOB));
        Kit.pause(Duration.ofSeconds(3));
        int asked = store.acquireCount();
        long took = System.nanoTime() - start;
        // A waiter has a reason to ask if it got no reply, may have missed a notification, or has to keep its place.
        long reasons = took / QueueTimes.REFRESH_INTERVAL.toNanos()
                + store.calls().stream()
                        .filter(each -> each.reply() instanceof LockReply.Unavailable)
                        .count()
                + store.notifications().stream()
                        .filter(Notification.ANY::equals)
                        .count();
        if (asked > 4 + reasons) {
            throw new RuleBroken("a waiter behind one holder has asked " + asked + " times in " + Duration.ofNanos(took)
                    + ", but had only " + reasons + " reasons");
        }
        client.release(holder);
        waiter.join();
        kit.withinWaiterTtl(name -> {
            client.grant(name, LONG);
            client.enqueue(name);
            for (int before = 1; before < 5; before++) {
                LockCommand.Acquire command = StoreClient.queueing(name, Kit.id(), LONG);
                Duration retryAfter = StoreClient.expect(LockReply.Queued.class, command, client.execute(command))
                        .retryAfter();
                if (retryAfter.compareTo(QueueTimes.retryAfter(LONG.dividedBy(2), before)) < 0) {
                    throw new RuleBroken("a waiter with " + before + " before it, behind a lease of " + LONG
                            + ", is notified, but was told to retry after " + retryAfter);
                }
            }
        });
    }

    @Checks(P8_7)
    default void p8_7_aNotificationReachesTheWaiterInTime(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        RecordingStore store = new RecordingStore(kit.anotherClient().store(), kit.trace());
        Locks locks = kit.locks(store, LONG);
        // A caller that waits until the end, so that its process stays subscribed.
        LockName other = new LockName("another name");
        HeldLock others = client.grant(other, LONG);
        Duration allTurns = kit.contract.patience().multipliedBy(TURNS);
        WaitingCaller listening = new WaitingCaller(locks.named(other.value()), allTurns, () -> {});
        kit.await(
                "the process of the waiter is subscribed",
                () -> store.notifications().contains(Notification.ANY));
        AtomicBoolean inTime = new AtomicBoolean();
        for (int turn = 0; turn < TURNS; turn++) {
            String event = "release " + turn;
            kit.withinWaiterTtl(job -> {
                LockName name = new LockName(job + ", " + event);
                HeldLock holder = client.grant(name, LONG);
                WaitingCaller waiter = new WaitingCaller(locks.named(name.value()), kit.contract.patience(), () -> {});
                kit.await("the waiter is queued", () -> store.hasQueued(name));
                AcquisitionId next = client.enqueue(name);
                int heard = store.notifications().size();
                client.release(holder);
                kit.expectPlaceLasted(event, next);
                awaitNotified(
                        kit,
                        event,
                        waiter,
                        () -> store.notifications().stream()
                                .skip(heard)
                                .anyMatch(notification ->
                                        notification.name().map(name::equals).orElse(true)));
                HeldLock held = client.awaitClaim(name, next);
                inTime.compareAndSet(false, waiter.wasGranted());
                client.release(held);
                waiter.join();
            });
        }
        client.release(others);
        listening.join();
        if (!inTime.get()) {
            throw new RuleBroken(TURNS + " times in a row a waiter missed its claim window");
        }
    }

    /**
     * Called after the release. A waiter asks by itself from time to time: if it does so before a notification may be expected, it is
     * granted the lock and needs none, which shows nothing. The time for which this machine stood still does not count.
     */
    private static void awaitNotified(Kit kit, String event, WaitingCaller waiter, BooleanSupplier isNotified) {
        long released = System.nanoTime();
        AtomicLong last = new AtomicLong(released);
        AtomicLong standstill = new AtomicLong();
        kit.await(event + " notifies the first waiter", () -> {
            long now = System.nanoTime();
            standstill.accumulateAndGet(now - last.getAndSet(now), Math::max);
            boolean hasAsked = waiter.wasGranted(); // before the notifications, of which one may be the reason
            if (isNotified.getAsBoolean()) {
                return true;
            } else if (hasAsked && now - released - standstill.get() < Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
                throw new RuleBroken.TooSlow("at " + event + " the waiter asked by itself");
            }
            return false;
        });
    }

    @Checks(value = P8_8, slow = true)
    default void p8_8_aWaiterWithoutNotificationsGetsTheLock(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        RecordingStore deaf = new RecordingStore(kit.anotherClient().store(), kit.trace()) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> listener) {
                return () -> {};
            }
        };
        HeldLock holder = client.grant(JOB, LONG);
        WaitingCaller waiter =
                new WaitingCaller(kit.locks(deaf, LONG).named(JOB.value()), kit.contract.patience(), () -> {});
        kit.await("the waiter is queued", () -> deaf.hasQueued(JOB));
        client.release(holder);
        kit.await("a waiter without notifications asks by itself, and gets the lock", waiter::wasGranted);
        waiter.join();
    }
}
