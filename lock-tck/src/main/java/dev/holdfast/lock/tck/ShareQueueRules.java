package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.S7;
import static dev.holdfast.lock.tck.Rule.S8;
import static dev.holdfast.lock.tck.Rule.S9;
import static dev.holdfast.lock.tck.ShareRules.ONE_OF_TWO;
import static dev.holdfast.lock.tck.ShareRules.READER;
import static dev.holdfast.lock.tck.ShareRules.WRITER;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** S: one queue for shares of all kinds, in which neither a reader, a writer nor a request for many permits starves. */
interface ShareQueueRules {

    @Checks(S7)
    default void s7_noNewcomerPassesAWaitingWriter(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        kit.withinClaimWindow(name -> {
            HeldLock reader = client.grant(name, READER, LONG);
            AcquisitionId writer = client.enqueue(name, WRITER);
            client.expectBusy(name, READER);
            AcquisitionId later = client.enqueue(name, READER);
            client.release(reader);
            client.expectBusy(name, READER);
            client.expectWaiting(name, later, READER);
            HeldLock written = client.claim(name, writer, WRITER);
            client.expectWaiting(name, later, READER);
            client.release(written);
            client.claim(name, later, READER);
        });
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " with a writer that gives up");
            client.grant(name, READER, LONG);
            AcquisitionId writer = client.enqueue(name, WRITER);
            AcquisitionId later = client.enqueue(name, READER);
            client.release(name, writer, WRITER, Duration.ZERO, LONG);
            client.grant(name, READER, LONG);
            client.claim(name, later, READER);
        });
    }

    @Checks(S8)
    default void s8_dueReadersEnterTogether(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        kit.withinClaimWindow(name -> {
            HeldLock writer = client.grant(name, WRITER, LONG);
            client.enqueue(name, READER); // which never asks again
            AcquisitionId second = client.enqueue(name, READER);
            AcquisitionId third = client.enqueue(name, READER);
            AcquisitionId last = client.enqueue(name, WRITER);
            client.release(writer);
            HeldLock one = client.claim(name, third, READER);
            HeldLock other = client.claim(name, second, READER);
            client.expectWaiting(name, last, WRITER);
            client.release(one);
            client.release(other);
            client.expectWaiting(name, last, WRITER); // the first reader has a claim window
        });
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " with permits");
            HeldLock writer = client.grant(name, WRITER, LONG);
            AcquisitionId waiter = client.enqueue(name, ONE_OF_TWO);
            client.release(writer);
            client.claim(name, waiter, ONE_OF_TWO);
            client.grant(name, ONE_OF_TWO, LONG); // a waiter that was granted its share takes it once
            client.expectBusy(name, ONE_OF_TWO);
        });
        kit.withinWaiterTtl(job -> {
            LockName name = new LockName(job + " with two dead readers");
            HeldLock writer = client.grant(name, WRITER, LONG);
            client.enqueue(name, READER);
            client.enqueue(name, READER);
            LockCommand.Acquire next =
                    StoreClient.withShare(StoreClient.queueing(name, client.enqueue(name, WRITER), LONG), WRITER);
            long released = System.nanoTime();
            client.release(writer);
            expectOneClaimWindow(client, next, released, System.nanoTime());
        });
        expectCrowdIsDue(client, new LockName("crowded"));
        if (client.store().capabilities().contains(Capability.NOTIFICATIONS)) {
            expectNotified(kit, client);
        }
    }

    private static void expectCrowdIsDue(StoreClient client, LockName name) {
        HeldLock writer = client.grant(name, WRITER, LONG);
        List<LockCommand> crowd = Stream.<LockCommand>generate(
                        () -> StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), READER))
                .limit(Kit.CROWD)
                .toList();
        client.executeAll(crowd);
        client.release(writer);
        LockCommand last = crowd.get(Kit.CROWD - 1);
        StoreClient.expect(LockReply.Granted.class, last, client.execute(last));
    }

    private static void expectNotified(Kit kit, StoreClient client) {
        NotificationRecorder subscription = kit.subscribe(client);
        subscription.clear();
        ConcurrentCalls.repeatUntilShown(
                Stream.of(ShareTurn.Event.values())
                        .<Predicate<LockName>>map(event -> name -> isNotified(kit, client, subscription, event, name))
                        .toList(),
                "every attempt was too slow to ask within " + QueueTimes.WAITER_TTL);
    }

    private static boolean isNotified(
            Kit kit, StoreClient client, NotificationRecorder subscription, ShareTurn.Event event, LockName attempt) {
        ShareTurn turn = ShareTurn.join(client, event, attempt);
        turn.cause(client);
        turn.notified().forEach(waiter -> subscription.await(kit, event.text(), turn.name(), waiter.id()));
        return true;
    }

    /** Repeats the acquire of a writer behind dead readers, all due since then, until it is granted. */
    private static void expectOneClaimWindow(
            StoreClient client, LockCommand.Acquire next, long notBefore, long notAfter) {
        while (true) {
            long sent = System.nanoTime();
            LockReply reply = client.execute(next);
            long took = System.nanoTime() - notBefore;
            if (reply instanceof LockReply.Granted) {
                if (took < Kit.slewed(QueueTimes.CLAIM_WINDOW)) {
                    throw new RuleBroken("a writer has passed readers that were due after " + Duration.ofNanos(took)
                            + ", before their claim windows had ended");
                }
                return;
            }
            StoreClient.expect(LockReply.Queued.class, next, reply);
            if (sent - notAfter > ClaimWindowRules.longer(QueueTimes.CLAIM_WINDOW)) {
                throw new RuleBroken("readers that died while they were due together delay a writer for more than one"
                        + " claim window");
            }
            Kit.pause(Duration.ofMillis(5));
        }
    }

    @Checks(S9)
    default void s9_aRequestForManyIsNeitherPassedNorLeftAsleep(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.SHARES);
        boolean notifies = client.store().capabilities().contains(Capability.NOTIFICATIONS);
        @Nullable NotificationRecorder subscription = notifies ? kit.subscribe(client) : null;
        Share one = new Share(1, 4);
        Share two = new Share(2, 4);
        Share three = new Share(3, 4);
        kit.withinClaimWindow(name -> {
            List<HeldLock> holders = List.of(client.grant(name, two, LONG), client.grant(name, one, LONG));
            AcquisitionId many = client.enqueue(name, three);
            client.expectBusy(name, one); // there is room for it, but not beside the waiter
            AcquisitionId few = client.enqueue(name, one);
            client.release(holders.get(1));
            client.expectWaiting(name, many, three);
            client.expectWaiting(name, few, one);
            if (subscription != null) {
                subscription.clear();
            }
            client.release(holders.get(0));
            if (subscription != null) {
                subscription.await(kit, "the release that makes room for it", name, many);
                subscription.await(kit, "the release that makes room for it and the waiter before it", name, few);
            }
            client.claim(name, few, one);
            client.claim(name, many, three);
            client.expectBusy(name, one);
        });
        expectToldToRetrySoon(client, new LockName("behind readers"));
        kit.withinClaimWindow(job -> {
            LockName name = new LockName(job + " that expires");
            LockCommand holder = StoreClient.withShare(StoreClient.acquiring(name, Kit.id(), SHORT), two);
            LockCommand waiter = StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), three);
            List<LockReply> replies = client.executeAll(List.of(holder, waiter));
            StoreClient.expect(LockReply.Granted.class, holder, replies.get(0));
            if (!(replies.get(1) instanceof LockReply.Queued queued)) {
                throw new RuleBroken.TooSlow("every batch took longer than " + SHORT);
            }
            if (queued.retryAfter().compareTo(SHORT) > 0) {
                throw new RuleBroken("the first waiter is told to retry in " + queued.retryAfter()
                        + ", though the share in its way ends after " + SHORT);
            }
            Kit.pause(SHORT.plus(Kit.TOLERANCE));
            client.expectBusy(name, two);
            client.claim(name, waiter.id(), three);
        });
    }

    /** However many readers are before it, as all of them may leave the queue at once. */
    private static void expectToldToRetrySoon(StoreClient client, LockName name) {
        client.grant(name, WRITER, LONG);
        for (int before = 0; before < 6; before++) {
            LockCommand reader = StoreClient.withShare(StoreClient.queueing(name, Kit.id(), LONG), READER);
            Duration retryAfter = StoreClient.expect(LockReply.Queued.class, reader, client.execute(reader))
                    .retryAfter();
            if (before > 0 && retryAfter.compareTo(QueueTimes.CLAIM_WINDOW) > 0) {
                throw new RuleBroken("a reader behind " + before + " others is told to retry in " + retryAfter
                        + ", which is longer than a claim window");
            }
        }
    }
}
