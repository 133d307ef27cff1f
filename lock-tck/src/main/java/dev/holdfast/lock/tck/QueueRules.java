package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P5_4;
import static dev.holdfast.lock.tck.Rule.P7_1;
import static dev.holdfast.lock.tck.Rule.P7_10;
import static dev.holdfast.lock.tck.Rule.P7_2;
import static dev.holdfast.lock.tck.Rule.P7_3;
import static dev.holdfast.lock.tck.Rule.P7_4;
import static dev.holdfast.lock.tck.Rule.P7_5;
import static dev.holdfast.lock.tck.Rule.P7_9;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** P5 and P7: who came first is served first, and who left holds up nobody. */
interface QueueRules {

    @Checks(P7_1)
    default void p7_1_waitersAreGrantedInTheirOrder(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            List<AcquisitionId> waiters =
                    List.of(client.queue(name), client.queue(name), client.queue(name), client.queue(name));
            for (int turn = 0; turn < waiters.size(); turn++) {
                client.release(holder);
                for (int later = waiters.size() - 1; later > turn; later--) {
                    client.expectWaiting(name, waiters.get(later));
                }
                holder = client.take(name, waiters.get(turn));
            }
        });
    }

    @Checks(P7_2)
    default void p7_2_aNewcomerDoesNotOvertake(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            AcquisitionId waiter = client.queue(name);
            client.release(holder);
            client.expectBusy(name);
            AcquisitionId newcomer = client.queue(name);
            client.expectBusy(name);
            client.release(client.take(name, waiter));
            client.take(name, newcomer);
        });
    }

    @Checks(P7_3)
    default void p7_3_askingAgainKeepsThePlace(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            AcquisitionId first = client.queue(name);
            AcquisitionId second = client.queue(name);
            client.expectWaiting(name, first);
            client.expectWaiting(name, first);
            client.release(holder);
            client.expectWaiting(name, second);
            client.release(client.take(name, first));
            client.take(name, second);
        });
    }

    @Checks(P7_4)
    default void p7_4_storesOpenedApartShareOneQueue(Kit kit) {
        Client one = kit.clientOfStoreWith(Capability.QUEUE);
        Client other = kit.anotherClient();
        kit.withinAReservation(name -> {
            Held holder = one.grant(name, LONG);
            AcquisitionId first = one.queue(name);
            AcquisitionId second = other.queue(name);
            AcquisitionId third = one.queue(name);
            one.release(holder);
            other.expectWaiting(name, second);
            other.expectBusy(name);
            one.release(one.take(name, first));
            one.expectWaiting(name, third);
            one.expectBusy(name);
            other.release(other.take(name, second));
            other.take(name, third);
        });
    }

    @Checks(P7_5)
    default void p7_5_whoWithdrewHoldsUpNobody(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            AcquisitionId first = client.queue(name);
            AcquisitionId between = client.queue(name);
            AcquisitionId third = client.queue(name);
            AcquisitionId fourth = client.queue(name);
            for (Duration any : List.of(Duration.ZERO, LONG)) {
                client.release(name, Kit.id(), any, any); // an id without a place takes no other's
            }
            if (client.release(name, between, Duration.ZERO, Duration.ZERO)) {
                throw new Broken("a place in the queue was given up, and the answer says that a lease was");
            }
            client.expectGone(new Step.Renew(name, third, LONG)); // who waits holds nothing, and keeps its place
            client.release(name, first, Duration.ZERO, LONG);
            Step release = new Step.Release(name, holder.id(), Duration.ZERO, Duration.ZERO);
            expect(
                    client,
                    List.of(release, Client.queueing(name, fourth, LONG), Client.queueing(name, third, LONG)),
                    List.of(Answer.Released.class, Answer.Waiting.class, Answer.Granted.class));
            Held next = client.take(name, third);
            client.expectGone(Client.queueing(name, first, LONG));
            AcquisitionId fifth = client.queue(name);
            client.release(next);
            client.release(name, fourth, Duration.ZERO, Duration.ZERO); // the first of a free lock
            client.release(client.take(name, fifth));
            client.grant(name, LONG);
        });
    }

    @Checks(P5_4)
    default void p5_4_whoWithdrewIsNeverGranted(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        LockName held = new LockName("withdrawn from a held lock");
        Held holder = client.grant(held, LONG);
        AcquisitionId waiter = client.queue(held);
        client.release(held, waiter, Duration.ZERO, LONG);
        client.release(holder);
        client.expectGone(Client.queueing(held, waiter, LONG));
        client.grant(held, LONG);

        LockName free = new LockName("withdrawn from a free lock");
        Held before = client.grant(free, LONG);
        AcquisitionId first = client.queue(free);
        client.release(before);
        client.release(free, first, Duration.ZERO, LONG);
        client.expectGone(Client.queueing(free, first, LONG));
        client.grant(free, LONG);
    }

    @Checks(P7_9)
    default void p7_9_eachNameHasAQueueOfItsOwn(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        LockName other = new LockName("another name");
        Held one = client.grant(JOB, LONG);
        Held another = client.grant(other, LONG);
        AcquisitionId waiter = client.queue(JOB);
        AcquisitionId elsewhere = client.queue(other);
        client.release(another);
        client.take(other, elsewhere);
        client.release(one);
        client.take(JOB, waiter);
    }

    @Checks(P7_10)
    default void p7_10_aBatchQueuesInItsOrder(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            Step first = Client.queueing(name, Kit.id(), LONG);
            Step second = Client.queueing(name, Kit.id(), LONG);
            Step third = Client.queueing(name, Kit.id(), LONG);
            Step release = new Step.Release(name, holder.id(), Duration.ZERO, Duration.ZERO);
            expect(
                    client,
                    List.of(first, second, third),
                    List.of(Answer.Waiting.class, Answer.Waiting.class, Answer.Waiting.class));
            expect(
                    client,
                    List.of(third, release, third, second, first),
                    List.of(
                            Answer.Waiting.class,
                            Answer.Released.class,
                            Answer.Waiting.class,
                            Answer.Waiting.class,
                            Answer.Granted.class));
        });
    }

    private static void expect(Client client, List<Step> steps, List<Class<? extends Answer>> kinds) {
        List<Answer> answers = client.askAll(steps);
        for (int i = 0; i < steps.size(); i++) {
            Client.expect(kinds.get(i), steps.get(i), answers.get(i));
        }
    }
}
