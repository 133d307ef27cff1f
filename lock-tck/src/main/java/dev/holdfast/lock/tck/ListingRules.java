package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.I1;
import static dev.holdfast.lock.tck.Rule.I2;
import static dev.holdfast.lock.tck.Rule.I3;
import static dev.holdfast.lock.tck.Rule.I4;
import static dev.holdfast.lock.tck.Rule.I5;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** I: a listing shows the locks as they are, and blocks no command. */
interface ListingRules {

    @Checks(I1)
    default void i1_aHeldLockIsListed(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        long start = System.nanoTime();
        HeldLock held = client.grant(JOB, LONG);
        LockInfo.Holder granted = expectHeldBy(client, held);
        if (Duration.between(granted.since(), Instant.now()).abs().compareTo(Kit.CLOCK_SKEW) > 0) {
            throw new RuleBroken("a lock that was just granted is listed as held since " + granted.since()
                    + ", but the time is " + Instant.now());
        }
        Duration passed =
                Duration.ofNanos(System.nanoTime() - start); // between two readings of the store's clock, at most
        expectBetween(
                granted,
                LONG.minus(passed).minus(Kit.TOLERANCE),
                LONG.plus(passed).plus(Kit.TOLERANCE));
        Duration longer = LONG.multipliedBy(2);
        StoreClient.expect(LockReply.Granted.class, client.renewing(held, longer), client.renew(held, longer));
        LockInfo.Holder renewed = expectHeldBy(client, held);
        expectHeldBy(kit.clientOfExisting(), held); // as reading tools open the store
        if (Duration.between(granted.since(), renewed.since()).abs().compareTo(Kit.TOLERANCE) > 0) {
            throw new RuleBroken(
                    "a renewal changed the time of the grant from " + granted.since() + " to " + renewed.since());
        }
        Duration latest = longer.plusNanos(System.nanoTime() - start).plus(Kit.TOLERANCE);
        expectBetween(renewed, longer.minus(Kit.TOLERANCE), latest);
        kit.withinWaiterTtl(name -> IdentityRules.OWNERS.forEach(owner -> expectListed(client, name, owner)));
    }

    /** A holder and a waiter with this owner text, of which a listing may have a part. */
    private static void expectListed(StoreClient client, LockName prefix, String owner) {
        boolean queues = client.store().capabilities().contains(Capability.QUEUE);
        LockName name = new LockName(prefix + " of owner " + IdentityRules.OWNERS.indexOf(owner));
        HeldLock held = client.grant(IdentityRules.by(owner, name, Kit.id(), false));
        if (queues) {
            client.execute(IdentityRules.by(owner, name, Kit.id(), true));
        }
        LockInfo shown = client.find(name);
        List<AcquisitionId> holders =
                shown.holders().stream().map(LockInfo.Holder::id).toList();
        if (!holders.equals(List.of(held.id())) || shown.waiters().size() != (queues ? 1 : 0)) {
            throw new RuleBroken("with the owner text '" + owner + "' a lock with a holder"
                    + (queues ? " and a waiter" : "") + " is listed as " + shown);
        }
    }

    private static void expectBetween(LockInfo.Holder holder, Duration shortest, Duration longest) {
        Duration shown = Duration.between(holder.since(), holder.until());
        if (shown.compareTo(shortest) < 0 || shown.compareTo(longest) > 0) {
            throw new RuleBroken("the lease must be listed with a length of " + shortest + " to " + longest
                    + ", but it is " + shown + ": " + holder);
        }
    }

    private static LockInfo.Holder expectHeldBy(StoreClient client, HeldLock held) {
        return expectHolder(client.find(held.name()), held);
    }

    private static LockInfo.Holder expectHolder(LockInfo shown, HeldLock held) {
        LockInfo.Holder holder =
                shown.holder().orElseThrow(() -> new RuleBroken("a held lock is listed without its holder: " + shown));
        if (!holder.id().equals(held.id())
                || holder.token() != held.token()
                || !holder.owner().equals(StoreClient.owner(held.id()))) {
            throw new RuleBroken("the holder " + held + " is listed as " + holder);
        }
        if (shown.minimumHoldUntil().isPresent()) {
            throw new RuleBroken("a held lock is listed as kept by a minimum hold: " + shown);
        }
        return holder;
    }

    @Checks(I2)
    default void i2_waitersAreListedInTheirOrder(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST, Capability.QUEUE);
        kit.withinWaiterTtl(name -> {
            HeldLock held = client.grant(name, LONG);
            LockName another = new LockName("another " + name);
            client.grant(another, LONG);
            client.enqueue(another);
            List<AcquisitionId> waiters =
                    IntStream.range(0, 12).mapToObj(any -> client.enqueue(name)).toList();
            client.expectWaiting(name, waiters.get(3));
            client.release(name, waiters.get(7), Duration.ZERO, Duration.ZERO);
            List<String> expected = waiters.stream()
                    .filter(waiter -> !waiter.equals(waiters.get(7)))
                    .map(StoreClient::owner)
                    .toList();
            expectWaiters(client.find(name), expected);
            client.release(held);
            LockInfo free = client.find(name);
            expectWaiters(free, expected);
            if (free.holder().isPresent()) {
                throw new RuleBroken("a free lock with waiters is listed with a holder: " + free);
            }
        });
    }

    private static void expectWaiters(LockInfo shown, List<String> expected) {
        if (!shown.waitingOwners().equals(expected)) {
            throw new RuleBroken(
                    "the waiters are, in order, " + expected + ", but the listing has " + shown.waitingOwners());
        }
    }

    @Checks(I3)
    default void i3_expiredLocksAreNotListed(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        client.release(client.grant(new LockName("released"), LONG));
        client.release(new LockName("never held"), Kit.id(), Duration.ZERO, LONG);
        client.grant(new LockName("expired"), SHORT);
        HeldLock brief = client.grant(new LockName("kept"), LONG);
        client.release(brief.name(), brief.id(), SHORT, Duration.ZERO);
        List<LockName> waitedFor = List.of();
        if (client.store().capabilities().contains(Capability.QUEUE)) {
            HeldLock left = client.grant(new LockName("left"), LONG);
            AcquisitionId waiter = client.enqueue(left.name());
            client.release(left);
            client.release(left.name(), waiter, Duration.ZERO, Duration.ZERO);
            HeldLock kept = client.grant(new LockName("kept, waited for"), LONG);
            client.enqueue(kept.name());
            client.release(kept.name(), kept.id(), SHORT, Duration.ZERO);
            LockName lapsed = new LockName("lapsed, waited for");
            kit.await("a waiter arrives before the lease ends", () -> isWaitedForWithinALease(client, lapsed));
            waitedFor = List.of(kept.name(), lapsed);
        }
        client.list(""); // what is listed now must not be listed later
        Kit.pause(SHORT.plusMillis(50));
        List<LockInfo> shown = client.list("");
        if (!waitedFor.containsAll(shown.stream().map(LockInfo::name).toList())) {
            throw new RuleBroken(
                    "only " + waitedFor + " are waited for, and none is held or kept, but the listing has " + shown);
        }
        if (shown.stream()
                .anyMatch(each ->
                        each.holder().isPresent() || each.minimumHoldUntil().isPresent())) {
            throw new RuleBroken("no lock is held or kept, but the listing has " + shown);
        }
    }

    /** Otherwise this process stalled for longer than the lease, and the waiter was granted the lock. */
    private static boolean isWaitedForWithinALease(StoreClient client, LockName name) {
        client.grant(name, SHORT);
        AcquisitionId waiter = Kit.id();
        boolean waits = client.execute(StoreClient.queueing(name, waiter, LONG)) instanceof LockReply.Queued;
        if (!waits) {
            client.release(name, waiter, Duration.ZERO, Duration.ZERO);
        }
        return waits;
    }

    @Checks(I4)
    default void i4_namesAreSelectedByPrefixAndSorted(Kit kit) {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        StoreClient elsewhere = kit.clientIn(new Namespace(kit.namespace + "-x"));
        elsewhere.grant(new LockName("a"), LONG);
        List<LockName> names = Stream.of(SampleNames.BEGINNING_ALIKE, SampleNames.ALIKE, SampleNames.UNUSUAL)
                .flatMap(List::stream)
                .distinct()
                .sorted()
                .toList();
        client.grantAll(names, LONG);
        List<HeldLock> held = client.grantAll("many", Kit.MANY, LONG).stream()
                .sorted(Comparator.comparing(HeldLock::name))
                .toList();
        List<LockName> many = held.stream().map(HeldLock::name).toList();
        expectNames(client, "many", many);
        List<LockInfo> shown = client.list("many");
        for (int at = 0; at < held.size(); at++) {
            expectHolder(shown.get(at), held.get(at));
        }
        List<LockName> all =
                Stream.concat(names.stream(), many.stream()).sorted().toList();
        expectNames(client, "", all);
        for (String prefix : List.of("a", "a%", "a_", "ab", "a[", "a*", "A", "a\\", "\uDBFF\uDFFF", "nothing")) {
            expectNames(
                    client,
                    prefix,
                    all.stream().filter(name -> name.value().startsWith(prefix)).toList());
        }
    }

    private static void expectNames(StoreClient client, String prefix, List<LockName> expected) {
        List<LockName> shown = client.list(prefix).stream().map(LockInfo::name).toList();
        if (!shown.equals(expected)) {
            throw new RuleBroken("with the prefix '" + prefix + "' and in order of code points there are "
                    + expected.size() + " held locks: " + expected + ", but " + shown.size() + " are listed: " + shown);
        }
    }

    @Checks(I5)
    default void i5_aListingBlocksNoCommand(Kit kit) throws InterruptedException, ExecutionException {
        StoreClient client = kit.clientOfStoreWith(Capability.LIST);
        List<HeldLock> some = IntStream.range(0, 20)
                .mapToObj(number -> client.grant(new LockName("looked at " + number), LONG))
                .toList();
        Set<LockName> unseen = client.grantAll("many", Kit.MANY, LONG).stream()
                .map(HeldLock::name)
                .collect(Collectors.toCollection(TreeSet::new));
        StoreClient other = kit.anotherClient();
        try (Stream<LockInfo> shown = client.openListing("")) {
            Iterator<LockInfo> reader = shown.iterator();
            unseen.remove(reader.next().name());
            CompletableFuture<Void> commands = CompletableFuture.runAsync(
                    () -> {
                        for (HeldLock held : some) {
                            for (StoreClient one : List.of(client, other)) {
                                one.expectHeld(held);
                                one.renew(held, LONG);
                            }
                            client.release(held);
                            other.release(other.grant(held.name(), LONG));
                        }
                    },
                    task -> ConcurrentCalls.start("commands", task));
            commands.get(kit.contract.patience().toMillis(), TimeUnit.MILLISECONDS);
            reader.forEachRemaining(info -> unseen.remove(info.name()));
            if (!unseen.isEmpty()) {
                throw new RuleBroken("of " + Kit.MANY + " locks that were held all the time " + unseen.size()
                        + " were not listed, as others were released while the listing was read: " + unseen);
            }
        } catch (TimeoutException e) {
            throw new RuleBroken("while a listing is read, commands got no reply for " + kit.contract.patience());
        }
    }
}
