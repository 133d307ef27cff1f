package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Client.acquiring;
import static dev.holdfast.lock.tck.Client.queueing;
import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P8_1;
import static dev.holdfast.lock.tck.Rule.P8_10;
import static dev.holdfast.lock.tck.Rule.P8_2;
import static dev.holdfast.lock.tck.Rule.P8_3;
import static dev.holdfast.lock.tck.Rule.P8_4;
import static dev.holdfast.lock.tck.Rule.P8_5;
import static dev.holdfast.lock.tck.Rule.P8_9;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** P8: who waits is told when it is its turn. */
interface SignalRules {

    @Checks(P8_1)
    default void p8_1_aReleaseSignalsTheFirst(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Client waiting = kit.anotherClient();
        Subscription subscription = kit.subscribe(waiting);
        Held holder = client.grant(JOB, LONG);
        List<AcquisitionId> waiters = List.of(waiting.queue(JOB), waiting.queue(JOB), waiting.queue(JOB));
        for (AcquisitionId next : waiters) {
            subscription.forget();
            client.release(holder);
            kit.await("the release signals the first in the queue", () -> subscription.heardFor(JOB, next));
            holder = waiting.take(JOB, next);
        }
    }

    @Checks(P8_2)
    default void p8_2_aNewFirstIsSignalled(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Client waiting = kit.anotherClient();
        Subscription subscription = kit.subscribe(waiting);
        Held holder = client.grant(JOB, LONG);
        AcquisitionId early = waiting.queue(JOB);
        AcquisitionId first = waiting.queue(JOB);
        AcquisitionId second = waiting.queue(JOB);
        AcquisitionId third = waiting.queue(JOB);
        subscription.forget();
        client.release(JOB, early, Duration.ZERO, Duration.ZERO);
        kit.await("a withdrawal while the lock is held signals the next", () -> subscription.heardFor(JOB, first));

        subscription.forget();
        client.release(holder);
        kit.await("the release signals the first in the queue", () -> subscription.heardFor(JOB, first));

        subscription.forget();
        client.release(JOB, first, Duration.ZERO, Duration.ZERO);
        kit.await("its withdrawal signals the next", () -> subscription.heardFor(JOB, second));

        subscription.forget();
        Kit.pause(QueueTimes.RESERVATION.plusMillis(100));
        client.expectBusy(JOB);
        kit.await("who passes over the first signals the next", () -> subscription.heardFor(JOB, third));
    }

    @Checks(P8_3)
    default void p8_3_signalsBeginWithAny(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        for (int i = 0; i < 5; i++) {
            LockName name = new LockName("job " + i);
            Held holder = client.grant(name, LONG);
            Client waiting = kit.anotherClient();
            AcquisitionId waiter = waiting.queue(name);
            try (Subscription subscription = new Subscription(waiting.store())) {
                kit.await("the subscription begins", () -> !subscription.heard().isEmpty());
                if (!subscription.heard().get(0).equals(Signal.ANY)) {
                    throw new Broken("the first signal was not ANY but "
                            + subscription.heard().get(0));
                }
                subscription.forget();
                client.release(holder);
                kit.await("the first release after ANY is signalled", () -> subscription.heardFor(name, waiter));
            }
        }
    }

    @Checks(P8_4)
    default void p8_4_afterAGapComesAny(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client waiting = kit.clientOf(way.configuration(), kit.namespace);
        Subscription subscription = kit.subscribe(waiting);
        Held holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.queue(JOB);
        AcquisitionId second = waiting.queue(JOB);

        way.cut();
        Duration brief = OutageRules.BRIEF;
        kit.await(
                "the store is out of reach",
                () -> waiting.attempt(acquiring(JOB, Kit.id(), LONG), brief) instanceof Answer.Unavailable);
        client.release(holder);
        subscription.forget();
        way.heal();

        kit.await("the gap is over and ANY comes", subscription::heardAny);
        Held next = client.take(JOB, first);
        askAfterGap(kit, waiting, second);
        subscription.forget();
        client.release(next);
        kit.await("the next release after the gap is signalled", () -> subscription.heardFor(JOB, second));
    }

    /** As a waiter does when it hears ANY: in a long gap its place may have run out. */
    private static void askAfterGap(Kit kit, Client waiting, AcquisitionId waiter) {
        kit.await(
                "the waiter has its place",
                () -> waiting.attempt(queueing(JOB, waiter, LONG), Client.TIMEOUT) instanceof Answer.Waiting);
    }

    @Checks(P8_5)
    default void p8_5_aClosedSubscriptionHearsNothing(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Held holder = client.grant(JOB, LONG);
        AcquisitionId first = client.queue(JOB);
        AcquisitionId second = client.queue(JOB);
        Subscription closed = kit.subscribe(client);
        client.release(holder);
        kit.await("the release is signalled", () -> closed.heardFor(JOB, first));
        Held next = client.take(JOB, first);

        closed.close();
        closed.forget();
        Subscription anew = kit.subscribe(client);
        client.release(next);

        kit.await("a new subscription hears the next release", () -> anew.heardFor(JOB, second));
        Kit.pause(Duration.ofMillis(200));
        if (!closed.heard().isEmpty()) {
            throw new Broken("a subscription that was closed has heard " + closed.heard());
        }
        anew.close();
        expectOneForItself(kit, client);
    }

    /** Two subscriptions with one listener are two. */
    private static void expectOneForItself(Kit kit, Client client) {
        LockName name = new LockName("listened to twice");
        Held holder = client.grant(name, LONG);
        AcquisitionId waiter = client.queue(name);
        List<Signal> heard = new CopyOnWriteArrayList<>();
        Consumer<Signal> listener = heard::add;
        AutoCloseable one = kit.closeAfterwards(client.store().signals(listener));
        kit.closeAfterwards(client.store().signals(listener));
        kit.await("each of two subscriptions begins with ANY", () -> heard.size() >= 2);
        try {
            one.close();
        } catch (Exception e) {
            throw new IllegalStateException("a subscription could not be closed", e);
        }
        heard.clear();
        client.release(holder);
        kit.await(
                "the subscription that is left hears the release",
                () -> heard.contains(Signal.to(name, waiter))
                        || heard.contains(Signal.ANY)
                        || heard.contains(new Signal(Optional.of(name), Optional.empty())));
    }

    @Checks(P8_10)
    default void p8_10_aSubscriptionBeginsWhenTheStoreIsBack(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client waiting = kit.clientOf(way.configuration(), kit.namespace);
        Held holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.queue(JOB);
        way.cut();

        Subscription subscription = kit.closeAfterwards(new Subscription(waiting.store()));

        subscription.forget();
        way.heal();
        kit.await("the store is back and ANY comes", subscription::heardAny);
        askAfterGap(kit, waiting, first);
        subscription.forget();
        client.release(holder);
        kit.await("the next release is signalled", () -> subscription.heardFor(JOB, first));
    }

    @Checks(P8_9)
    default void p8_9_aMinimumHoldIsToldToTheFirst(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Client waiting = kit.anotherClient();
        Subscription subscription = kit.subscribe(waiting);
        Held holder = client.grant(JOB, LONG);
        AcquisitionId first = waiting.queue(JOB);
        waiting.queue(JOB);
        subscription.forget();

        client.release(JOB, holder.id(), LONG, Duration.ZERO);

        kit.await("the release with a minimum hold signals the first", () -> subscription.heardFor(JOB, first));
    }
}
