package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.I6;
import static dev.holdfast.lock.tck.Rule.I7;
import static dev.holdfast.lock.tck.Rule.I8;
import static dev.holdfast.lock.tck.Rule.I9;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

/** I: the needs of an operator's tools: the id to release, kept locks, visible failures, a harmless diagnosis. */
interface OperatorRules {

    @Checks(I6)
    default void i6_theListedIdEndsTheLease(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        StoreClient operator = kit.anotherClient();
        HeldLock held = client.grant(JOB, LONG);
        LockInfo.Holder shown =
                operator.find(JOB).holder().orElseThrow(() -> new RuleBroken("the holder is not listed"));
        if (!operator.release(JOB, shown.id(), Duration.ZERO, LONG)) {
            throw new RuleBroken(
                    "a release by the listed id, " + shown.id() + ", did not end the lease of " + held.id());
        }
        StoreClient.expect(LockReply.Gone.class, client.renewing(held, LONG), client.renew(held, LONG));
        HeldLock next = client.grant(JOB, LONG);
        if (operator.release(JOB, shown.id(), Duration.ZERO, LONG)) {
            throw new RuleBroken("a release by the id of the previous holder has ended the lease of the next");
        }
        client.expectHeld(next);
    }

    @Checks(I7)
    default void i7_aKeptLockIsListedAsKept(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        kit.withinWaiterTtl(name -> expectListedAsKept(client, name));
    }

    private static void expectListedAsKept(StoreClient client, LockName name) {
        HeldLock held = client.grant(name, LONG);
        LockInfo.Holder holder =
                client.find(name).holder().orElseThrow(() -> new RuleBroken("the holder is not listed"));
        List<String> waiters = client.store().capabilities().contains(Capability.QUEUE)
                ? List.of(StoreClient.owner(client.enqueue(name)), StoreClient.owner(client.enqueue(name)))
                : List.of();
        Duration minimum = LONG.multipliedBy(2);
        client.release(name, held.id(), minimum, Duration.ZERO);
        LockInfo shown = client.find(name);
        Optional<Duration> keptFor = shown.minimumHoldUntil().map(until -> Duration.between(holder.since(), until));
        boolean isRight = keptFor.isPresent()
                && keptFor.get().minus(minimum).abs().compareTo(Kit.TOLERANCE) <= 0
                && shown.holder().isEmpty()
                && shown.waitingOwners().equals(waiters);
        if (!isRight) {
            throw new RuleBroken("a lock with a minimum hold of " + minimum + " from " + holder.since()
                    + " and the waiters " + waiters + " was released, and is listed as " + shown);
        }
    }

    @Checks(I8)
    default void i8_aListingOfAnUnreachableStoreFails(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient cutOff = kit.clientOf(connection.configuration(), kit.namespace);
        client.grant(JOB, LONG);
        kit.await("the lock is listed", () -> isListed(cutOff));
        connection.cut();
        expectFailure(new FutureTask<>(() -> cutOff.list("", UnansweredCalls.TIMEOUT)));
        connection.heal();
        kit.await("the locks are listed again", () -> isListed(cutOff));

        client.grantAll("many", Kit.MANY, LONG);
        try (Stream<LockInfo> listing = cutOff.store().list("many", UnansweredCalls.TIMEOUT)) {
            Iterator<LockInfo> reader = listing.iterator();
            reader.next();
            connection.cut();
            int read = 1;
            for (; reader.hasNext(); reader.next()) {
                read++;
            }
            if (read != Kit.MANY) {
                throw new RuleBroken("the store was unreachable while a listing was read, which ended after " + read
                        + " of " + Kit.MANY + " locks as if there were no more");
            }
        } catch (LockUnavailableException expected) {
            expectMessage(expected);
        }
        connection.heal();
        kit.await("the locks are listed again", () -> isListed(cutOff));
    }

    /** Checks that a listing ends by itself, with the exception for an outage. */
    static void expectFailure(FutureTask<List<LockInfo>> listing) {
        Thread thread = ConcurrentCalls.start("listing", listing);
        try {
            new UnansweredCalls().awaitEnd("a listing", listing::isDone, () -> HangGuard.stackOf(thread));
            throw new RuleBroken("the store is unreachable, but the listing has " + listing.get());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof LockUnavailableException unavailable)) {
                throw new RuleBroken(
                        "the listing of an unreachable store must throw LockUnavailableException", e.getCause());
            }
            expectMessage(unavailable);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            thread.interrupt();
        }
    }

    private static void expectMessage(LockUnavailableException e) {
        if (e.getMessage() == null || e.getMessage().isBlank()) {
            throw new RuleBroken("the LockUnavailableException has no message");
        }
    }

    private static boolean isListed(StoreClient client) {
        try {
            return !client.list("").isEmpty();
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    @Checks(I9)
    default void i9_aDiagnosisChangesNothing(Kit kit) {
        StoreClient client = kit.client();
        LockInEachState.isUnchangedBy(() -> client.store().diagnose(StoreClient.TIMEOUT), kit, client);
    }
}
