package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P7_11;
import static dev.holdfast.lock.tck.Rule.P7_6;
import static dev.holdfast.lock.tck.Rule.P7_7;
import static dev.holdfast.lock.tck.Rule.P7_8;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.List;

/** P7: a free lock is kept for the first in the queue, for a while. */
interface ReservationRules {

    @Checks(P7_6)
    default void p7_6_aFreeLockIsKeptForTheFirst(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            AcquisitionId first = client.queue(name);
            AcquisitionId second = client.queue(name);
            client.release(holder);
            long released = System.nanoTime();
            do {
                client.expectBusy(name);
                client.expectWaiting(name, second);
                Kit.pause(Duration.ofMillis(20));
            } while (System.nanoTime() - released < SHORT.toNanos());
            client.take(name, first);
        });
    }

    @Checks(P7_7)
    default void p7_7_aFirstThatNeverAsksIsPassedOver(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        if (!isPassedOver(client, new LockName("dead waiter")) && !isPassedOver(client, new LockName("once more"))) {
            throw new Broken("a first in the queue that never asked was passed over only when its place was dropped, "
                    + QueueTimes.TICKET + " after it had come, and not when its reservation was over");
        }
    }

    /** Whether the next had its turn so early that it was by the end of the reservation. */
    private static boolean isPassedOver(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        long asked = System.nanoTime();
        AcquisitionId dead = client.queue(name);
        AcquisitionId next = client.queue(name);
        Held held = awaitPassing(client, holder, next);
        client.expectWaiting(name, dead);
        client.expectHeld(held);
        client.release(held);
        client.take(name, dead);
        return held.received() - asked < QueueTimes.TICKET.toNanos();
    }

    /** Releases a lock for which a dead waiter is the first, and lets the next have it after the reservation. */
    static Held awaitPassing(Client client, Held holder, AcquisitionId next) {
        long freed = System.nanoTime();
        client.release(holder);
        Held held = client.awaitTurn(holder.name(), next);
        long kept = held.received() - freed;
        if (kept < Kit.slewed(QueueTimes.RESERVATION)) {
            throw new Broken("a free lock was kept for the first in the queue for " + Duration.ofNanos(kept)
                    + ", and then given to the next");
        }
        return held;
    }

    @Checks(P7_8)
    default void p7_8_anExpiredLockIsForTheFirst(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Step lease = Client.acquiring(name, Kit.id(), SHORT);
            Step.Acquire first = Client.queueing(name, Kit.id(), LONG);
            List<Answer> answers = client.askAll(List.of(lease, first));
            Client.expect(Answer.Granted.class, lease, answers.get(0));
            Client.expect(Answer.Waiting.class, first, answers.get(1));
            Kit.pause(SHORT.plusMillis(50));
            client.expectBusy(name);
            AcquisitionId newcomer = client.queue(name);
            client.release(client.take(name, first.id()));
            client.take(name, newcomer);
        });
    }

    @Checks(P7_11)
    default void p7_11_aWaiterIsToldWhenToAskAgain(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        for (Duration lease : List.of(QueueTimes.RESERVATION, LONG)) {
            kit.withinAReservation(name -> {
                Held holder = client.grant(new LockName(name + " for " + lease), lease);
                for (int before = 0; before < 4; before++) {
                    expectAdvice(client, holder, before);
                }
            });
        }
    }

    private static void expectAdvice(Client client, Held holder, int before) {
        Step step = Client.queueing(holder.name(), Kit.id(), LONG);
        Duration askAgain =
                Client.expect(Answer.Waiting.class, step, client.ask(step)).askAgain();
        Duration latest = QueueTimes.askAgain(holder.remaining(), before);
        if (askAgain.compareTo(latest) > 0) {
            throw new Broken("a waiter with " + before + " before it, behind a lease of " + holder.remaining()
                    + ", is to ask again after " + latest + " at the latest, but was told " + askAgain);
        }
    }
}
