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
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.QueueTimes;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** P7 and P8 as whoever waits through {@link Locks} sees them. */
interface TurnRules {

    /** So many that one signal of two, or of ten, that is lost is noticed. */
    int TURNS = 24;

    @Checks(P7_13)
    default void p7_13_callersAreServedInTheirOrder(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        List<Eavesdropper> stores = new ArrayList<>();
        List<Locks> locks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            stores.add(new Eavesdropper(kit.anotherClient().store()));
            locks.add(kit.locks(stores.get(i), LONG));
        }
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            List<String> served = new CopyOnWriteArrayList<>();
            List<Waiter> waiters = new ArrayList<>();
            for (int i = 0; i < locks.size(); i++) {
                String who = "first of " + i;
                waiters.add(
                        new Waiter(locks.get(i).named(name.value()), kit.contract.patience(), () -> served.add(who)));
                Eavesdropper store = stores.get(i);
                kit.await("the waiter has its place", () -> store.hasQueued(name));
            }
            for (int i = 0; i < 3; i++) {
                waiters.add(new Waiter(
                        locks.get(0).named(name.value()), kit.contract.patience(), () -> served.add("later of 0")));
            }
            client.release(holder);
            waiters.forEach(Waiter::join);
            expectOrder(served, "first of 0", "first of 1", "first of 2");
            expectOrder(served, "first of 0", "later of 0");
        });
    }

    private static void expectOrder(List<String> served, String... order) {
        for (int i = 1; i < order.length; i++) {
            if (served.indexOf(order[i - 1]) > served.indexOf(order[i])) {
                throw new Broken("callers came in the order " + String.join(", ", order)
                        + ", but were served in the order " + String.join(", ", served));
            }
        }
    }

    @Checks(P7_14)
    default void p7_14_aTryDoesNotOvertake(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE);
        Locks locks = kit.locks(LONG);
        kit.withinAReservation(name -> {
            Held holder = client.grant(name, LONG);
            AcquisitionId waiter = client.queue(name);
            client.release(holder);
            DistributedLock lock = locks.named(name.value());
            expectGranted(lock.tryAcquire(), false);
            client.release(client.take(name, waiter));
            expectGranted(lock.tryAcquire(), true);
        });
    }

    private static void expectGranted(Optional<Lease> lease, boolean expected) {
        lease.ifPresent(Lease::close);
        if (lease.isPresent() != expected) {
            throw new Broken(
                    "tryAcquire() " + (expected ? "was refused a lock that nobody wants" : "overtook a waiter"));
        }
    }

    @Checks(P8_6)
    default void p8_6_aWaiterAsksSeldom(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Eavesdropper store = new Eavesdropper(kit.anotherClient().store());
        Locks locks = kit.locks(store, LONG);
        Held holder = client.grant(JOB, LONG);
        long start = System.nanoTime();
        Waiter waiter = new Waiter(locks.named(JOB.value()), kit.contract.patience(), () -> {});
        kit.await("the waiter has its place", () -> store.hasQueued(JOB));
        Kit.pause(Duration.ofSeconds(3));
        int asked = store.acquires();
        long took = System.nanoTime() - start;
        // Whoever got no answer, or may have missed a signal, has a reason to ask anew; and its place lasts as long as
        // it asks.
        long reasons = took / QueueTimes.REFRESH.toNanos()
                + store.asked().stream()
                        .filter(each -> each.answer() instanceof Answer.Unavailable)
                        .count()
                + store.heard().stream().filter(Signal.ANY::equals).count();
        if (asked > 4 + reasons) {
            throw new Broken("in " + Duration.ofNanos(took) + " behind one holder a waiter has asked " + asked
                    + " times, and had " + reasons + " reasons to");
        }
        for (int before = 1; before < 5; before++) {
            Step.Acquire step = Client.queueing(JOB, Kit.id(), LONG);
            Duration askAgain =
                    Client.expect(Answer.Waiting.class, step, client.ask(step)).askAgain();
            if (askAgain.compareTo(QueueTimes.askAgain(LONG.dividedBy(2), before)) < 0) {
                throw new Broken("a waiter with " + before + " before it, behind a lease of " + LONG
                        + ", is told by signals, but has to ask again after " + askAgain);
            }
        }
        client.release(holder);
        waiter.join();
    }

    @Checks(P8_7)
    default void p8_7_aSignalBringsTheWaiter(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Eavesdropper store = new Eavesdropper(kit.anotherClient().store());
        Locks locks = kit.locks(store, LONG);
        // One that waits all the while: its process listens from now on until the end.
        LockName other = new LockName("another name");
        Held others = client.grant(other, LONG);
        Waiter listening = new Waiter(locks.named(other.value()), kit.contract.patience(), () -> {});
        kit.await("the process of the waiter listens", () -> store.heard().contains(Signal.ANY));
        boolean inTime = false;
        for (int turn = 0; turn < TURNS; turn++) {
            LockName name = new LockName("job " + turn);
            Held holder = client.grant(name, LONG);
            Waiter waiter = new Waiter(locks.named(name.value()), kit.contract.patience(), () -> {});
            kit.await("the waiter has its place", () -> store.hasQueued(name));
            AcquisitionId next = client.queue(name);
            int heard = store.heard().size();
            client.release(holder);
            kit.await(
                    "a release signals the first in the queue (it is number " + turn + ")",
                    () -> store.heard().stream()
                            .skip(heard)
                            .anyMatch(signal -> signal.name().map(name::equals).orElse(true)));
            Held held = client.awaitTurn(name, next);
            inTime |= waiter.isServed();
            client.release(held);
            waiter.join();
        }
        client.release(others);
        listening.join();
        if (!inTime) {
            throw new Broken(TURNS + " times in a row a free lock was kept for a waiter that did not come before its"
                    + " reservation was over");
        }
    }

    @Lengthy
    @Checks(P8_8)
    default void p8_8_aLostSignalCostsOnlyTime(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.QUEUE, Capability.SIGNALS);
        Eavesdropper deaf = new Eavesdropper(kit.anotherClient().store()) {
            @Override
            public AutoCloseable signals(Consumer<Signal> to) {
                return () -> {};
            }
        };
        Held holder = client.grant(JOB, LONG);
        Waiter waiter = new Waiter(kit.locks(deaf, LONG).named(JOB.value()), kit.contract.patience(), () -> {});
        kit.await("the waiter has its place", () -> deaf.hasQueued(JOB));
        client.release(holder);
        kit.await("a waiter that hears no signal asks by itself", waiter::isServed);
        waiter.join();
    }
}
