package dev.holdfast.lock.tck;

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
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            List<AcquisitionId> waiters = List.of(waiting.enqueue(name), waiting.enqueue(name), waiting.enqueue(name));
            for (AcquisitionId next : waiters) {
                subscription.clear();
                client.release(holder);
                subscription.await(kit, "the release", name, next);
                holder = waiting.claim(name, next);
            }
        });
        kit.withinWaiterTtl(any -> expectNotifiedOfEachName(kit, client, waiting, subscription));
        StoreClient later = kit.anotherClient();
        NotificationRecorder latest = kit.subscribe(later);
        kit.withinWaiterTtl(job -> {
            LockName moved = new LockName(job + " asked for through another store");
            HeldLock holder = client.grant(moved, LONG);
            AcquisitionId waiter = waiting.enqueue(moved);
            later.expectWaiting(moved, waiter);
            latest.clear();
            client.release(holder);
            latest.await(kit, "the release, through the store that sent the waiter's latest acquire,", moved, waiter);
        });
    }

    /** Locks with all kinds of names, all released in one batch. Waiters of an earlier attempt are dead. */
    private static void expectNotifiedOfEachName(
            Kit kit, StoreClient client, StoreClient waiting, NotificationRecorder subscription) {
        Map<LockName, AcquisitionId> waiters = new LinkedHashMap<>();
        List<LockCommand> releases = new ArrayList<>();
        for (LockName name : SampleNames.UNUSUAL) {
            HeldLock held = client.awaitGrant(name, LONG);
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
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId early = waiting.enqueue(name);
            AcquisitionId first = waiting.enqueue(name);
            AcquisitionId second = waiting.enqueue(name);
            AcquisitionId third = waiting.enqueue(name);
            subscription.clear();
            client.release(name, early, Duration.ZERO, Duration.ZERO);
            awaitNext(kit, subscription, "the withdrawal of the first waiter, %s, of a held lock", name, early, first);

            subscription.clear();
            client.release(holder);
            subscription.await(kit, "the release", name, first);

            subscription.clear();
            client.release(name, first, Duration.ZERO, Duration.ZERO);
            awaitNext(kit, subscription, "the withdrawal of the first waiter, %s, of a free lock", name, first, second);

            subscription.clear();
            Kit.pause(QueueTimes.CLAIM_WINDOW.plusMillis(100));
            client.expectBusy(name);
            awaitNext(kit, subscription, "the acquire that passes over the first waiter, %s,", name, second, third);
        });
    }

    /** @param event by which the first waiter leaves the queue, with {@code %s} in the place of it */
    private static void awaitNext(
            Kit kit,
            NotificationRecorder subscription,
            String event,
            LockName name,
            AcquisitionId first,
            AcquisitionId next) {
        String told = event.replace("%s", StoreClient.owner(first));
        kit.expectPlaceLasted(told, first);
        subscription.await(kit, told, name, next);
    }

    @Checks(P8_3)
    default void p8_3_aSubscriptionBeginsWithAny(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        for (int round = 0; round < 5; round++) {
            String prefix = "round " + round + ", ";
            kit.withinWaiterTtl(job -> expectNotifiedAfterAny(kit, client, new LockName(prefix + job)));
        }
    }

    private static void expectNotifiedAfterAny(Kit kit, StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        StoreClient waiting = kit.anotherClient();
        AcquisitionId waiter = waiting.enqueue(name);
        try (NotificationRecorder subscription = new NotificationRecorder(waiting)) {
            kit.await("the subscription begins", () -> !subscription.received().isEmpty());
            if (!subscription.received().get(0).equals(Notification.ANY)) {
                throw new RuleBroken("the first notification must be ANY, but was "
                        + subscription.received().get(0));
            }
            subscription.clear();
            client.release(holder);
            subscription.await(kit, "the first release after ANY", name, waiter);
        }
    }

    @Checks(P8_4)
    default void p8_4_aGapEndsWithAny(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient waiting = kit.clientOf(connection.configuration(), kit.namespace);
        NotificationRecorder subscription = kit.subscribe(waiting);
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = waiting.patient().enqueue(name);
            AcquisitionId second = waiting.patient().enqueue(name);

            connection.cut();
            Duration brief = UnansweredCalls.TIMEOUT;
            kit.await(
                    "the store is unreachable",
                    () -> waiting.tryExecute(acquiring(name, Kit.id(), LONG), brief) instanceof LockReply.Unavailable);
            client.release(holder);
            subscription.clear();
            connection.heal();

            kit.await("ANY is received after the gap", subscription::receivedAny);
            HeldLock next = client.claim(name, first);
            askAfterGap(kit, waiting, name, second);
            subscription.clear();
            client.release(next);
            subscription.await(kit, "the next release after the gap", name, second);
        });
    }

    /** As a waiter does when it receives ANY: its place may have expired in a long gap. */
    private static void askAfterGap(Kit kit, StoreClient waiting, LockName name, AcquisitionId waiter) {
        kit.await(
                "the waiter is queued",
                () -> waiting.tryExecute(queueing(name, waiter, LONG), StoreClient.TIMEOUT)
                        instanceof LockReply.Queued);
    }

    @Checks(P8_5)
    default void p8_5_aClosedSubscriptionReceivesNothing(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        kit.withinWaiterTtl(name -> expectClosedSubscriptionIsSilent(kit, client, name));
        kit.withinWaiterTtl(job -> expectSeparateSubscriptions(kit, client, new LockName(job + " listened to twice")));
    }

    private static void expectClosedSubscriptionIsSilent(Kit kit, StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        AcquisitionId first = client.enqueue(name);
        AcquisitionId second = client.enqueue(name);
        NotificationRecorder closed = kit.subscribe(client);
        closed.clear();
        client.release(holder);
        closed.await(kit, "the release", name, first);
        HeldLock next = client.claim(name, first);

        closed.close();
        closed.clear();
        try (NotificationRecorder anew = kit.subscribe(client)) {
            anew.clear();
            client.release(next);

            anew.await(kit, "the next release, of which a new subscription learns,", name, second);
            Kit.pause(Duration.ofMillis(200));
            if (!closed.received().isEmpty()) {
                throw new RuleBroken("a closed subscription has received " + closed.received());
            }
        }
    }

    /** Two subscriptions of one listener are independent, and one of another listener. */
    private static void expectSeparateSubscriptions(Kit kit, StoreClient client, LockName name) {
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
        earlier.await(kit, "a release, of which all subscriptions learn,", name, waiter);
        kit.await(
                "the other subscription receives the notification of the release",
                () -> received.contains(Notification.of(name, waiter))
                        || received.contains(Notification.ANY)
                        || received.contains(new Notification(Optional.of(name), Optional.empty())));
    }

    @Checks(P8_10)
    default void p8_10_aSubscriptionBeginsWhenTheStoreIsBack(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient waiting = kit.clientOf(connection.configuration(), kit.namespace);
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = waiting.patient().enqueue(name);
            connection.cut();

            NotificationRecorder subscription = kit.closeAfterwards(new NotificationRecorder(waiting));

            subscription.clear();
            connection.heal();
            kit.await("ANY is received when the store is back", subscription::receivedAny);
            askAfterGap(kit, waiting, name, first);
            subscription.clear();
            client.release(holder);
            subscription.await(kit, "the next release", name, first);
        });
    }

    @Checks(P8_9)
    default void p8_9_aReleaseWithMinimumHoldNotifiesTheFirstWaiter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE, Capability.NOTIFICATIONS);
        StoreClient waiting = kit.anotherClient();
        NotificationRecorder subscription = kit.subscribe(waiting);
        kit.withinWaiterTtl(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = waiting.enqueue(name);
            AcquisitionId second = waiting.enqueue(name);
            subscription.clear();

            client.release(name, holder.id(), LONG, Duration.ZERO);

            subscription.await(kit, "the release with a minimum hold", name, first);

            subscription.clear();
            client.release(name, first, Duration.ZERO, Duration.ZERO);
            awaitNext(kit, subscription, "the withdrawal of the first waiter, %s, of a kept lock", name, first, second);
        });
    }
}
