package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.P7_11;
import static dev.holdfast.lock.tck.Rule.P7_15;
import static dev.holdfast.lock.tck.Rule.P7_16;
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
import java.util.function.Consumer;

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
        long start = System.nanoTime();
        for (int attempt = 0; !isPassedOver(client, new LockName("dead waiter " + attempt)); attempt++) {
            if (System.nanoTime() - start > Kit.HANG.toNanos()) {
                throw new Broken("one call took longer than " + QueueTimes.RESERVATION + ", again and again");
            }
        }
    }

    /** Whether the last call was so quick that it proves that whoever was passed over comes last. */
    private static boolean isPassedOver(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        Step.Acquire dead = Client.queueing(name, client.queue(name), LONG);
        AcquisitionId next = client.queue(name);
        Held held = awaitPassing(client, holder, next, Duration.ZERO, 1);
        Step.Acquire later = Client.queueing(name, client.queue(name), LONG);
        client.expectWaiting(name, dead.id());
        client.expectHeld(held);
        Step release = new Step.Release(name, held.id(), Duration.ZERO, Duration.ZERO);
        long sent = System.nanoTime();
        List<Answer> answers = client.askAll(List.of(release, dead, later));
        if (System.nanoTime() - sent >= Kit.slewed(QueueTimes.RESERVATION)) {
            return false;
        }
        Client.expect(Answer.Waiting.class, dead, answers.get(1));
        Client.expect(Answer.Granted.class, later, answers.get(2));
        return true;
    }

    @Lengthy
    @Checks(P7_15)
    default void p7_15_whoeverBecomesTheFirstHasAReservation(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        List<Consumer<LockName>> ways = List.of(
                name -> afterTwoDead(client, name),
                name -> afterAMinimum(client, name),
                name -> afterAWithdrawal(client, name));
        Together.run(ways.size(), number -> {
            ways.get(number).accept(new LockName("way " + number));
            return number;
        });
    }

    private static void afterTwoDead(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        client.queue(name);
        client.queue(name);
        awaitPassing(client, holder, client.queue(name), Duration.ZERO, 2);
    }

    /** The lock is free, and the reservation begins, when the minimum hold is over. */
    private static void afterAMinimum(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        client.queue(name);
        awaitPassing(client, holder, client.queue(name), QueueTimes.RESERVATION, 1);
    }

    private static void afterAWithdrawal(Client client, LockName name) {
        Held holder = client.grant(name, LONG);
        AcquisitionId first = client.queue(name);
        client.queue(name);
        AcquisitionId next = client.queue(name);
        client.release(holder);
        Kit.pause(QueueTimes.RESERVATION.dividedBy(2));
        long withdrawn = System.nanoTime();
        client.release(name, first, Duration.ZERO, Duration.ZERO);
        awaitTurn(client, name, next, withdrawn, System.nanoTime(), 1);
    }

    /** Releases a lock for which a dead waiter is the first, and lets the next have it after the reservation. */
    static Held awaitPassing(Client client, Held holder, AcquisitionId next) {
        return awaitPassing(client, holder, next, Duration.ZERO, 1);
    }

    /** The same with a minimum hold, and with so many dead waiters. */
    private static Held awaitPassing(Client client, Held holder, AcquisitionId next, Duration keep, int dead) {
        long freed = Math.max(System.nanoTime(), holder.notBefore(keep));
        client.release(holder.name(), holder.id(), keep, Duration.ZERO);
        long free = Math.max(System.nanoTime(), holder.received() + longer(keep));
        return awaitTurn(client, holder.name(), next, freed, free, dead);
    }

    /**
     * Asks until the waiter has the lock, which must be when the reservations of those before it are over, not before; and then at
     * once, as its own question passes them over.
     *
     * @param from when the first reservation began at the earliest
     * @param until when it began at the latest
     */
    private static Held awaitTurn(Client client, LockName name, AcquisitionId next, long from, long until, int dead) {
        Step.Acquire step = Client.queueing(name, next, LONG);
        int before = dead;
        long begun = until;
        while (before > 0) {
            long sent = System.nanoTime();
            Answer answer = client.ask(step);
            long answered = System.nanoTime();
            if (answer instanceof Answer.Granted granted) {
                long kept = answered - from;
                if (kept < dead * Kit.slewed(QueueTimes.RESERVATION)) {
                    throw new Broken("a free lock was kept for " + dead + " that did not ask for "
                            + Duration.ofNanos(kept) + " in all, and then given to the next");
                }
                return new Held(name, next, granted.token(), granted.remaining(), sent, answered);
            }
            Client.expect(Answer.Waiting.class, step, answer);
            if (sent - begun > longer(QueueTimes.RESERVATION)) {
                before--; // dropped by this question at the latest, which began the reservation of the one after it
                begun = answered;
            }
            Kit.pause(Duration.ofMillis(5));
        }
        throw new Broken(
                "the reservations of " + dead + " that did not ask are over, and the next does not get the lock");
    }

    /** What the clock here may make of a duration of the store's: more, and it may count in milliseconds. */
    private static long longer(Duration duration) {
        return duration.isZero() ? 0 : 2 * duration.toNanos() - Kit.slewed(duration) + Kit.ROUGHLY.toNanos();
    }

    @Checks(P7_8)
    default void p7_8_anExpiredLockIsForTheFirst(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinAReservation(name -> {
            Step lease = Client.acquiring(name, Kit.id(), SHORT);
            Step.Acquire first = Client.queueing(name, Kit.id(), LONG);
            long sent = System.nanoTime();
            List<Answer> answers = client.askAll(List.of(lease, first));
            Client.expect(Answer.Granted.class, lease, answers.get(0));
            expectWaiting(first, answers.get(1), sent + Kit.slewed(SHORT));
            Kit.pause(SHORT.plusMillis(50));
            client.expectBusy(name);
            AcquisitionId newcomer = client.queue(name);
            client.release(client.take(name, first.id()));
            client.take(name, newcomer);
        });
        kit.withinAReservation(job -> {
            LockName name = new LockName(job + " with a minimum hold");
            Held holder = client.grant(name, LONG);
            AcquisitionId first = client.queue(name);
            client.release(name, holder.id(), SHORT, Duration.ZERO);
            Step.Acquire again = Client.queueing(name, first, LONG);
            expectWaiting(again, client.ask(again), holder.notBefore(SHORT));
            Kit.pause(SHORT.plusMillis(50));
            client.expectBusy(name);
            client.take(name, first);
        });
    }

    /** A grant before this instant is too early; one after it, on a slow machine, is right. */
    private static void expectWaiting(Step.Acquire step, Answer answer, long notBefore) {
        if (answer instanceof Answer.Granted && System.nanoTime() - notBefore >= 0) {
            throw new TooSlow("asking took longer than " + SHORT + ", again and again");
        }
        Client.expect(Answer.Waiting.class, step, answer);
    }

    @Lengthy
    @Checks(P7_16)
    default void p7_16_aPlaceLastsWhileItsWaiterAsks(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        long start = System.nanoTime();
        for (int attempt = 0; !areDroppedInTime(client, new LockName("job " + attempt)); attempt++) {
            if (System.nanoTime() - start > 2 * Kit.HANG.toNanos()) {
                throw new Broken("a waiter asked less often than every " + QueueTimes.TICKET + ", again and again");
            }
        }
    }

    /** Whether the one that asks has asked so often that its place must have lasted. */
    private static boolean areDroppedInTime(Client client, LockName name) {
        Duration half = QueueTimes.TICKET.dividedBy(2);
        Held holder = client.grant(name, LONG);
        client.queue(name);
        long sent = System.nanoTime();
        AcquisitionId asking = client.queue(name);
        long longest = 0;
        AcquisitionId later = Kit.id();
        for (int time = 0; time < 2; time++) {
            Kit.pause(half.plus(Kit.ROUGHLY));
            client.expectWaiting(name, later);
            long again = System.nanoTime();
            client.expectWaiting(name, asking);
            longest = Math.max(longest, System.nanoTime() - sent);
            sent = again;
        }
        Step.Acquire newcomer = Client.queueing(name, later, LONG);
        Step release = new Step.Release(name, holder.id(), Duration.ZERO, Duration.ZERO);
        Step.Acquire turn = Client.queueing(name, asking, LONG);
        long released = System.nanoTime();
        List<Answer> answers = client.askAll(List.of(release, newcomer, turn));
        long now = System.nanoTime();
        if (now - released >= Kit.slewed(QueueTimes.RESERVATION)
                || Math.max(longest, now - sent) >= Kit.slewed(QueueTimes.TICKET)) {
            return false; // too slow to show anything
        }
        if (!(answers.get(1) instanceof Answer.Waiting)) {
            throw new Broken("a waiter that had asked " + half + " before has lost its place");
        }
        if (!(answers.get(2) instanceof Answer.Granted)) {
            throw new Broken("a waiter that had not asked for " + QueueTimes.TICKET + " still holds up the next");
        }
        return true;
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
