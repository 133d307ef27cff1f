package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P8_1;
import static dev.holdfast.lock.tck.Rule.P8_10;
import static dev.holdfast.lock.tck.Rule.P8_2;
import static dev.holdfast.lock.tck.Rule.P8_3;
import static dev.holdfast.lock.tck.Rule.P8_4;
import static dev.holdfast.lock.tck.Rule.P8_5;
import static dev.holdfast.lock.tck.Rule.P8_9;
import static dev.holdfast.lock.tck.StoreClient.acquiring;
import static dev.holdfast.lock.tck.StoreClient.queueing;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** P8: a waiter is notified when the lock is reserved for it. */
interface NotificationRules {

    @Checks(P8_1)
    default void p8_1_aReleaseNotifiesTheFirstWaiter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        StoreClient waiting = kit.anotherClient();
        NotificationRecorder subscription = kit.subscribe(waiting);
        HeldLock holder = client.grant(JOB, LONG);
        List<AcquisitionId> waiters = List.of(waiting.enqueue(JOB), waiting.enqueue(JOB), waiting.enqueue(JOB));
        for (AcquisitionId next : waiters) {
            subscription.clear();
            client.release(holder);
            subscription.await(kit, "the release", JOB, next);
            holder = waiting.claim(JOB, next);
        }
        expectNotifiedOfEachName(kit, client, waiting, subscription);
        StoreClient later = kit.anotherClient();
        NotificationRecorder latest = kit.subscribe(later);
        LockName moved = new LockName("asked for through another store");
        HeldLock before = client.grant(moved, LONG);
        AcquisitionId waiter = waiting.enqueue(moved);
        later.expectWaiting(moved, waiter);
        latest.clear();
        client.release(before);
        latest.await(kit, "the release, through the store that sent the waiter's latest acquire,", moved, waiter);
    }

    /** Locks with all kinds of names, all released in one batch. */
    private static void expectNotifiedOfEachName(
            Kit kit, StoreClient client, StoreClient waiting, NotificationRecorder subscription) {
        Map<LockName, AcquisitionId> waiters = new LinkedHashMap<>();
        List<LockCommand> releases = new ArrayList<>();
        for (LockName name : SampleNames.UNUSUAL) {
            HeldLock held = client.grant(name, LONG);
            releases.add(new LockCommand.Release(name, held.id(), Duration.ZERO, Duration.ZERO));
            waiters.put(name, waiting.enqueue(name));
        }
        subscription.clear();
        client.executeAll(releases);
        waiters.forEach((name, waiter) -> subscription.await(kit, "the release", name, waiter));
    }

    @Checks(P8_2)
    default void p8_2_aNewFirstWaiterIsNotified(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        StoreClient waiting = kit.anotherClient();
        NotificationRecorder subscription = kit.subscribe(waiting);
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId early = waiting.enqueue(JOB);
        AcquisitionId first = waiting.enqueue(JOB);
        AcquisitionId second = waiting.enqueue(JOB);
        AcquisitionId third = waiting.enqueue(JOB);
        subscription.clear();
        client.release(JOB, early, Duration.ZERO, Duration.ZERO);
        subscription.await(
                kit,
                "the withdrawal of the first waiter, " + StoreClient.owner(early) + ", of a held lock",
                JOB,
                first);

        subscription.clear();
        client.release(holder);
        subscription.await(kit, "the release", JOB, first);

        subscription.clear();
        client.release(JOB, first, Duration.ZERO, Duration.ZERO);
        subscription.await(
                kit,
                "the withdrawal of the first waiter, " + StoreClient.owner(first) + ", of a free lock",
                JOB,
                second);

        subscription.clear();
        Kit.pause(QueueTimes.CLAIM_WINDOW.plusMillis(100));
        client.expectBusy(JOB);
        subscription.await(
                kit, "the acquire that passes over the first waiter, " + StoreClient.owner(second) + ",", JOB, third);
    }

    @Checks(P8_3)
    default void p8_3_aSubscriptionBeginsWithAny(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        for (int i = 0; i < 5; i++) {
            LockName name = new LockName("job " + i);
            HeldLock holder = client.grant(name, LONG);
            StoreClient waiting = kit.anotherClient();
            AcquisitionId waiter = waiting.enqueue(name);
            try (NotificationRecorder subscription = new NotificationRecorder(waiting)) {
                kit.await(
                        "the subscription begins",
                        () -> !subscription.received().isEmpty());
                if (!subscription.received().get(0).equals(Notification.ANY)) {
                    throw new RuleBroken("the first notification must be ANY, but was "
                            + subscription.received().get(0));
                }
                subscription.clear();
                client.release(holder);
                subscription.await(kit, "the first release after ANY", name, waiter);
            }
        }
    }

    @Checks(P8_4)
    default void p8_4_aGapEndsWithAny(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient waiting = kit.clientOf(connection.configuration(), kit.namespace);
        NotificationRecorder subscription = kit.subscribe(waiting);
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.enqueue(JOB);
        AcquisitionId second = waiting.enqueue(JOB);

        connection.cut();
        Duration brief = OutageRules.BRIEF;
        kit.await(
                "the store is unreachable",
                () -> waiting.tryExecute(acquiring(JOB, Kit.id(), LONG), brief) instanceof LockReply.Unavailable);
        client.release(holder);
        subscription.clear();
        connection.heal();

        kit.await("ANY is received after the gap", subscription::receivedAny);
        HeldLock next = client.claim(JOB, first);
        askAfterGap(kit, waiting, second);
        subscription.clear();
        client.release(next);
        subscription.await(kit, "the next release after the gap", JOB, second);
    }

    /** As a waiter does when it receives ANY: its place may have expired in a long gap. */
    private static void askAfterGap(Kit kit, StoreClient waiting, AcquisitionId waiter) {
        kit.await(
                "the waiter is queued",
                () -> waiting.tryExecute(queueing(JOB, waiter, LONG), StoreClient.TIMEOUT) instanceof LockReply.Queued);
    }

    @Checks(P8_5)
    default void p8_5_aClosedSubscriptionReceivesNothing(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId first = client.enqueue(JOB);
        AcquisitionId second = client.enqueue(JOB);
        NotificationRecorder closed = kit.subscribe(client);
        closed.clear();
        client.release(holder);
        closed.await(kit, "the release", JOB, first);
        HeldLock next = client.claim(JOB, first);

        closed.close();
        closed.clear();
        NotificationRecorder anew = kit.subscribe(client);
        anew.clear();
        client.release(next);

        anew.await(kit, "the next release, of which a new subscription learns,", JOB, second);
        Kit.pause(Duration.ofMillis(200));
        if (!closed.received().isEmpty()) {
            throw new RuleBroken("a closed subscription has received " + closed.received());
        }
        anew.close();
        expectSeparateSubscriptions(kit, client);
    }

    /** Two subscriptions of one listener are independent, and one of another listener. */
    private static void expectSeparateSubscriptions(Kit kit, StoreClient client) {
        LockName name = new LockName("listened to twice");
        HeldLock holder = client.grant(name, LONG);
        AcquisitionId waiter = client.enqueue(name);
        NotificationRecorder earlier = kit.subscribe(client);
        List<Notification> received = new CopyOnWriteArrayList<>();
        Consumer<Notification> listener = received::add;
        AutoCloseable one = kit.closeAfterwards(client.store().subscribe(listener));
        kit.closeAfterwards(client.store().subscribe(listener));
        kit.await("each of two subscriptions begins with ANY", () -> received.size() >= 2);
        StoreClient other = kit.anotherClient();
        kit.subscribe(other);
        other.close();
        earlier.clear();
        try {
            one.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription could not be closed", e);
        }
        received.clear();
        client.release(holder);
        kit.await(
                "the other subscription receives the notification of the release",
                () -> received.contains(Notification.of(name, waiter))
                        || received.contains(Notification.ANY)
                        || received.contains(new Notification(Optional.of(name), Optional.empty())));
        earlier.await(kit, "a release, of which all subscriptions learn,", name, waiter);
    }

    @Checks(P8_10)
    default void p8_10_aSubscriptionBeginsWhenTheStoreIsBack(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient waiting = kit.clientOf(connection.configuration(), kit.namespace);
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.enqueue(JOB);
        connection.cut();

        NotificationRecorder subscription = kit.closeAfterwards(new NotificationRecorder(waiting));

        subscription.clear();
        connection.heal();
        kit.await("ANY is received when the store is back", subscription::receivedAny);
        askAfterGap(kit, waiting, first);
        subscription.clear();
        client.release(holder);
        subscription.await(kit, "the next release", JOB, first);
    }

    @Checks(P8_9)
    default void p8_9_aReleaseWithMinimumHoldNotifiesTheFirstWaiter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        StoreClient waiting = kit.anotherClient();
        NotificationRecorder subscription = kit.subscribe(waiting);
        HeldLock holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.enqueue(JOB);
        AcquisitionId second = waiting.enqueue(JOB);
        subscription.clear();

        client.release(JOB, holder.id(), LONG, Duration.ZERO);

        subscription.await(kit, "the release with a minimum hold", JOB, first);

        subscription.clear();
        client.release(JOB, first, Duration.ZERO, Duration.ZERO);
        subscription.await(
                kit,
                "the withdrawal of the first waiter, " + StoreClient.owner(first) + ", of a kept lock",
                JOB,
                second);
    }
}
