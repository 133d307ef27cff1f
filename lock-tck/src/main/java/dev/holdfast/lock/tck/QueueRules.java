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
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** P5 and P7: waiters are granted the lock in their order, and a waiter that left delays no other. */
interface QueueRules {

    @Checks(P7_1)
    default void p7_1_waitersAreGrantedInTheirOrder(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            List<AcquisitionId> waiters =
                    List.of(client.enqueue(name), client.enqueue(name), client.enqueue(name), client.enqueue(name));
            for (int turn = 0; turn < waiters.size(); turn++) {
                client.release(holder);
                for (int later = waiters.size() - 1; later > turn; later--) {
                    client.expectWaiting(name, waiters.get(later));
                }
                holder = client.claim(name, waiters.get(turn));
            }
        });
    }

    @Checks(P7_2)
    default void p7_2_aNewcomerDoesNotOvertake(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId waiter = client.enqueue(name);
            client.release(holder);
            client.expectBusy(name);
            LockCommand.Acquire again = StoreClient.acquiring(name, holder.id(), LONG);
            LockReply reply = client.execute(again);
            if (!(reply instanceof LockReply.Gone)) { // which the previous holder's id may be, or like a new one
                StoreClient.expect(LockReply.Busy.class, again, reply);
            }
            AcquisitionId newcomer = client.enqueue(name);
            client.expectBusy(name);
            client.release(client.claim(name, waiter));
            client.claim(name, newcomer);
        });
    }

    @Checks(P7_3)
    default void p7_3_aRepeatedAcquireKeepsItsPlace(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = client.enqueue(name);
            AcquisitionId second = client.enqueue(name);
            LockCommand one = StoreClient.queueing(name, first, LONG);
            client.executeAll(Collections.nCopies(15, one));
            client.expectWaiting(name, first);
            client.release(holder);
            client.expectWaiting(name, second);
            client.release(client.claim(name, first));
            Duration longer = LONG.multipliedBy(2);
            HeldLock claimed = client.grant(StoreClient.queueing(name, second, longer)); // the latest acquire counts
            if (claimed.remaining().compareTo(LONG) <= 0) {
                throw new RuleBroken("a waiter asked for a lease of " + LONG + ", and then for one of " + longer
                        + ", but was granted " + claimed.remaining());
            }
        });
    }

    @Checks(P7_4)
    default void p7_4_separatelyOpenedStoresShareOneQueue(Kit kit) {
        StoreClient one = kit.clientOfStoreWith(Capability.QUEUE);
        StoreClient other = kit.anotherClient();
        kit.withinClaimWindow(name -> {
            HeldLock holder = one.grant(name, LONG);
            AcquisitionId first = one.enqueue(name);
            AcquisitionId second = other.enqueue(name);
            AcquisitionId third = one.enqueue(name);
            one.release(holder);
            other.expectWaiting(name, second);
            other.expectBusy(name);
            one.release(one.claim(name, first));
            one.expectWaiting(name, third);
            one.expectBusy(name);
            other.release(other.claim(name, second));
            other.claim(name, third);
        });
    }

    @Checks(P7_5)
    default void p7_5_aWithdrawnWaiterDelaysNoOther(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            AcquisitionId first = client.enqueue(name);
            AcquisitionId between = client.enqueue(name);
            AcquisitionId third = client.enqueue(name);
            AcquisitionId fourth = client.enqueue(name);
            for (Duration any : List.of(Duration.ZERO, LONG)) {
                client.release(name, Kit.id(), any, any); // the release of an id without a place affects no other
            }
            if (client.release(name, between, Duration.ZERO, Duration.ZERO)) {
                throw new RuleBroken("the release of a waiter replied wasHeld = true");
            }
            client.expectGone(new LockCommand.Renew(name, third, LONG)); // a waiter holds nothing, and keeps its place
            client.release(name, first, Duration.ZERO, LONG);
            LockCommand release = release(name, holder.id());
            expect(
                    client,
                    List.of(release, StoreClient.queueing(name, fourth, LONG), StoreClient.queueing(name, third, LONG)),
                    List.of(LockReply.Released.class, LockReply.Queued.class, LockReply.Granted.class));
            HeldLock next = client.claim(name, third);
            client.expectGone(StoreClient.queueing(name, first, LONG));
            AcquisitionId fifth = client.enqueue(name);
            client.release(next);
            client.release(name, fourth, Duration.ZERO, Duration.ZERO); // the first waiter of a free lock
            client.release(client.claim(name, fifth));
            client.grant(name, LONG);
        });
    }

    @Checks(P5_4)
    default void p5_4_aWithdrawnWaiterIsNeverGranted(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        LockName held = new LockName("withdrawn from a held lock");
        HeldLock holder = client.grant(held, LONG);
        AcquisitionId waiter = client.enqueue(held);
        client.release(held, waiter, Duration.ZERO, LONG);
        client.release(holder);
        client.expectGone(StoreClient.queueing(held, waiter, LONG));
        client.grant(held, LONG);

        LockName free = new LockName("withdrawn from a free lock");
        HeldLock before = client.grant(free, LONG);
        AcquisitionId first = client.enqueue(free);
        client.release(before);
        client.release(free, first, Duration.ZERO, LONG);
        client.expectGone(StoreClient.queueing(free, first, LONG));
        client.grant(free, LONG);
    }

    @Checks(P7_9)
    default void p7_9_eachNameHasAQueueOfItsOwn(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        LockName other = new LockName("another name");
        HeldLock one = client.grant(JOB, LONG);
        HeldLock another = client.grant(other, LONG);
        AcquisitionId waiter = client.enqueue(JOB);
        AcquisitionId elsewhere = client.enqueue(other);
        client.release(another);
        client.claim(other, elsewhere);
        client.release(one);
        client.claim(JOB, waiter);
    }

    @Checks(P7_10)
    default void p7_10_aBatchQueuesInItsOrder(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.QUEUE);
        kit.withinClaimWindow(name -> {
            HeldLock holder = client.grant(name, LONG);
            LockCommand first = StoreClient.queueing(name, Kit.id(), LONG);
            LockCommand second = StoreClient.queueing(name, Kit.id(), LONG);
            LockCommand third = StoreClient.queueing(name, Kit.id(), LONG);
            LockCommand release = release(name, holder.id());
            expect(
                    client,
                    List.of(first, second, third),
                    List.of(LockReply.Queued.class, LockReply.Queued.class, LockReply.Queued.class));
            expect(
                    client,
                    List.of(third, release, third, second, first),
                    List.of(
                            LockReply.Queued.class,
                            LockReply.Released.class,
                            LockReply.Queued.class,
                            LockReply.Queued.class,
                            LockReply.Granted.class));
        });
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " with withdrawals");
            HeldLock holder = client.grant(name, LONG);
            LockCommand first = StoreClient.queueing(name, Kit.id(), LONG);
            LockCommand second = StoreClient.queueing(name, Kit.id(), LONG);
            LockCommand third = StoreClient.queueing(name, Kit.id(), LONG);
            expect(
                    client,
                    List.of(first, second, third, release(name, first.id()), first, release(name, third.id())),
                    List.of(
                            LockReply.Queued.class,
                            LockReply.Queued.class,
                            LockReply.Queued.class,
                            LockReply.Released.class,
                            LockReply.Queued.class,
                            LockReply.Released.class));
            LockCommand newcomer = StoreClient.acquiring(name, Kit.id(), LONG);
            expect(
                    client,
                    List.of(release(name, holder.id()), second, release(name, second.id()), newcomer, first),
                    List.of(
                            LockReply.Released.class,
                            LockReply.Granted.class,
                            LockReply.Released.class,
                            LockReply.Busy.class,
                            LockReply.Granted.class));
            expect(
                    client,
                    List.of(release(name, first.id()), newcomer),
                    List.of(LockReply.Released.class, LockReply.Granted.class));
        });
        kit.withinWaiterTtl(job -> expectCrowdQueues(client, new LockName(job + " with a crowd")));
    }

    /** Of a crowd of waiters all withdraw but one in the middle and the last one, which are still in their places. */
    private static void expectCrowdQueues(StoreClient client, LockName name) {
        HeldLock holder = client.grant(name, LONG);
        List<LockCommand> crowd = Stream.<LockCommand>generate(() -> StoreClient.queueing(name, Kit.id(), LONG))
                .limit(Kit.CROWD)
                .toList();
        expect(client, crowd, Collections.nCopies(Kit.CROWD, LockReply.Queued.class));
        LockCommand middle = crowd.get(Kit.CROWD / 2);
        LockCommand last = crowd.get(Kit.CROWD - 1);
        client.executeAll(crowd.stream()
                .filter(waiter -> !List.of(middle, last).contains(waiter))
                .<LockCommand>map(waiter -> release(name, waiter.id()))
                .toList());
        LockCommand newcomer = StoreClient.queueing(name, Kit.id(), LONG);
        List<LockCommand> commands =
                List.of(release(name, holder.id()), newcomer, middle, release(name, middle.id()), newcomer, last);
        long sent = System.nanoTime();
        List<LockReply> replies = client.executeAll(commands);
        if (System.nanoTime() - sent >= Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
            throw new RuleBroken.TooSlow("every attempt had a call that took longer than " + QueueTimes.CLAIM_WINDOW);
        }
        List<Class<? extends LockReply>> kinds = List.of(
                LockReply.Released.class,
                LockReply.Queued.class,
                LockReply.Granted.class,
                LockReply.Released.class,
                LockReply.Queued.class,
                LockReply.Granted.class);
        expect(commands, replies, kinds);
    }

    private static LockCommand release(LockName name, AcquisitionId id) {
        return new LockCommand.Release(name, id, Duration.ZERO, Duration.ZERO);
    }

    private static void expect(StoreClient client, List<LockCommand> commands, List<Class<? extends LockReply>> kinds) {
        expect(commands, client.executeAll(commands), kinds);
    }

    private static void expect(
            List<LockCommand> commands, List<LockReply> replies, List<Class<? extends LockReply>> kinds) {
        for (int i = 0; i < commands.size(); i++) {
            StoreClient.expect(kinds.get(i), commands.get(i), replies.get(i));
        }
    }
}
