package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Kit.SHORT;
import static dev.holdfast.lock.tck.Rule.I1;
import static dev.holdfast.lock.tck.Rule.I2;
import static dev.holdfast.lock.tck.Rule.I3;
import static dev.holdfast.lock.tck.Rule.I4;
import static dev.holdfast.lock.tck.Rule.I5;
import static dev.holdfast.lock.tck.Rule.I6;
import static dev.holdfast.lock.tck.Rule.I7;
import static dev.holdfast.lock.tck.Rule.I8;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** I: who looks sees what is, and disturbs nobody. */
interface SightRules {

    @Checks(I1)
    default void i1_aHeldLockIsShown(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        long start = System.nanoTime();
        Held held = client.grant(JOB, LONG);
        LockInfo.Holder granted = expectHeldBy(client, held);
        if (Duration.between(granted.since(), Instant.now()).abs().compareTo(Kit.CLOCKS) > 0) {
            throw new Broken("a lock that was just granted is shown as held since " + granted.since() + "; here it is "
                    + Instant.now());
        }
        Duration passed =
                Duration.ofNanos(System.nanoTime() - start); // between two looks at the store's clock, at most
        expectBetween(
                granted,
                LONG.minus(passed).minus(Kit.ROUGHLY),
                LONG.plus(passed).plus(Kit.ROUGHLY));
        Duration longer = LONG.multipliedBy(2);
        Client.expect(Answer.Granted.class, client.renewing(held, longer), client.renew(held, longer));
        LockInfo.Holder renewed = expectHeldBy(client, held);
        if (Duration.between(granted.since(), renewed.since()).abs().compareTo(Kit.ROUGHLY) > 0) {
            throw new Broken("a renewal changed since when the lock is held, from " + granted.since() + " to "
                    + renewed.since());
        }
        Duration latest = longer.plusNanos(System.nanoTime() - start).plus(Kit.ROUGHLY);
        expectBetween(renewed, longer.minus(Kit.ROUGHLY), latest);
    }

    private static void expectBetween(LockInfo.Holder holder, Duration least, Duration most) {
        Duration shown = Duration.between(holder.since(), holder.until());
        if (shown.compareTo(least) < 0 || shown.compareTo(most) > 0) {
            throw new Broken("from its grant to the end of its lease it is " + least + " to " + most + ", shown are "
                    + shown + ": " + holder);
        }
    }

    private static LockInfo.Holder expectHeldBy(Client client, Held held) {
        LockInfo shown = client.look(held.name());
        LockInfo.Holder holder =
                shown.holder().orElseThrow(() -> new Broken("a held lock is shown without its holder: " + shown));
        if (!holder.id().equals(held.id())
                || holder.token() != held.token()
                || !holder.owner().equals(Client.owner(held.id()))) {
            throw new Broken("the holder " + held + " is shown as " + holder);
        }
        if (shown.keptUntil().isPresent()) {
            throw new Broken("a lock that is held is shown as kept by a minimum hold: " + shown);
        }
        return holder;
    }

    @Checks(I2)
    default void i2_waitersAreShownInTheirOrder(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT, Capability.QUEUE);
        Held held = client.grant(JOB, LONG);
        client.grant(new LockName("another name"), LONG);
        client.queue(new LockName("another name"));
        List<AcquisitionId> waiters =
                IntStream.range(0, 12).mapToObj(any -> client.queue(JOB)).toList();
        client.expectWaiting(JOB, waiters.get(3));
        client.release(JOB, waiters.get(7), Duration.ZERO, Duration.ZERO);
        List<String> expected = waiters.stream()
                .filter(waiter -> !waiter.equals(waiters.get(7)))
                .map(Client::owner)
                .toList();
        expectWaiters(client.look(JOB), expected);
        client.release(held);
        LockInfo free = client.look(JOB);
        expectWaiters(free, expected);
        if (free.holder().isPresent()) {
            throw new Broken("a lock that is free, and waited for, is shown with a holder: " + free);
        }
    }

    private static void expectWaiters(LockInfo shown, List<String> expected) {
        if (!shown.waiters().equals(expected)) {
            throw new Broken("waiting are, in this order, " + expected + "; shown are " + shown.waiters());
        }
    }

    @Checks(I3)
    default void i3_whatIsOverIsNotShown(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        client.release(client.grant(new LockName("released"), LONG));
        client.release(new LockName("never held"), Kit.id(), Duration.ZERO, LONG);
        client.grant(new LockName("expired"), SHORT);
        Held kept = client.grant(new LockName("kept"), LONG);
        client.release(kept.name(), kept.id(), SHORT, Duration.ZERO);
        if (client.store().capabilities().contains(Capability.QUEUE)) {
            Held left = client.grant(new LockName("left"), LONG);
            AcquisitionId waiter = client.queue(left.name());
            client.release(left);
            client.release(left.name(), waiter, Duration.ZERO, Duration.ZERO);
        }
        client.lookAt(""); // whatever is shown now must be gone later
        Kit.pause(SHORT.plusMillis(50));
        List<LockInfo> shown = client.lookAt("");
        if (!shown.isEmpty()) {
            throw new Broken("nothing is held, kept or waited for any more, but shown are " + shown);
        }
    }

    @Checks(I4)
    default void i4_namesAreSelectedByTheirBeginningAndOrdered(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        Client elsewhere = kit.clientIn(new Namespace(kit.namespace + "-x"));
        elsewhere.grant(new LockName("a"), LONG);
        List<LockName> names = Stream.of(
                        "a",
                        "a%",
                        "a%b",
                        "a*",
                        "aB",
                        "a[b]",
                        "a\\",
                        "a_",
                        "a_b",
                        "ab",
                        "abc",
                        "b",
                        "\uE000",
                        "\uFFFD",
                        "\uD83D\uDE00",
                        "\uDBFF\uDFFF",
                        "\uDBFF\uDFFF\uDBFF\uDFFF")
                .map(LockName::new)
                .sorted()
                .toList();
        names.forEach(name -> client.grant(name, LONG));
        List<LockName> many = grantMany(client);
        expectNames(client, "many", many);
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

    private static List<LockName> grantMany(Client client) {
        List<LockName> names = IntStream.range(0, Kit.MANY)
                .mapToObj(number -> new LockName(String.format("many %04d", number)))
                .toList();
        List<Step> steps = names.stream()
                .<Step>map(name -> Client.acquiring(name, Kit.id(), LONG))
                .toList();
        List<Answer> answers = client.askAll(steps);
        for (int at = 0; at < steps.size(); at++) {
            Client.expect(Answer.Granted.class, steps.get(at), answers.get(at));
        }
        return names;
    }

    private static void expectNames(Client client, String prefix, List<LockName> expected) {
        List<LockName> shown =
                client.lookAt(prefix).stream().map(LockInfo::name).toList();
        if (!shown.equals(expected)) {
            throw new Broken("held are, with the beginning '" + prefix + "' and in the order of code points, "
                    + expected.size() + " locks: " + expected + "; shown are " + shown.size() + ": " + shown);
        }
    }

    @Checks(I5)
    default void i5_lookingHoldsUpNobody(Kit kit) throws InterruptedException, ExecutionException {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        List<Held> some = IntStream.range(0, 20)
                .mapToObj(number -> client.grant(new LockName("looked at " + number), LONG))
                .toList();
        grantMany(client);
        Client other = kit.anotherClient();
        try (Stream<LockInfo> shown = client.inspect("")) {
            Iterator<LockInfo> slowly = shown.iterator();
            slowly.next();
            CompletableFuture<Void> steps = CompletableFuture.runAsync(
                    () -> {
                        for (Held held : some) {
                            for (Client one : List.of(client, other)) {
                                one.expectHeld(held);
                                one.renew(held, LONG);
                            }
                            client.release(held);
                            other.release(other.grant(held.name(), LONG));
                        }
                    },
                    Kit::onAThread);
            steps.get(kit.contract.patience().toMillis(), TimeUnit.MILLISECONDS);
            int read = 1;
            for (; slowly.hasNext(); slowly.next()) {
                read++;
            }
            if (read < Kit.MANY) {
                throw new Broken("of " + Kit.MANY + " locks that were held all the while " + read + " were shown");
            }
        } catch (TimeoutException e) {
            throw new Broken(
                    "while somebody looks at the locks, steps were not answered for " + kit.contract.patience());
        }
    }

    @Checks(I6)
    default void i6_theShownIdEndsTheLease(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        Client operator = kit.anotherClient();
        Held held = client.grant(JOB, LONG);
        LockInfo.Holder shown = operator.look(JOB).holder().orElseThrow(() -> new Broken("no holder is shown"));
        if (!operator.release(JOB, shown.id(), Duration.ZERO, LONG)) {
            throw new Broken(
                    "a release by the id that is shown, " + shown.id() + ", did not end the lease of " + held.id());
        }
        Client.expect(Answer.Gone.class, client.renewing(held, LONG), client.renew(held, LONG));
        Held next = client.grant(JOB, LONG);
        if (operator.release(JOB, shown.id(), Duration.ZERO, LONG)) {
            throw new Broken("a release by the id of the holder before ended the lease of the next");
        }
        client.expectHeld(next);
    }

    @Checks(I8)
    default void i8_whatCannotBeSeenIsUnavailable(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        BreakableWay way = kit.closeAfterwards(kit.contract.breakableWay());
        Client cutOff = kit.clientOf(way.configuration(), kit.namespace);
        client.grant(JOB, LONG);
        cutOff.look(JOB);
        way.cut();
        try (Stream<LockInfo> shown = cutOff.store().inspect("", OutageRules.BRIEF)) {
            throw new Broken("the store is unreachable, but shown are " + shown.toList());
        } catch (LockUnavailableException expected) {
            if (expected.getMessage() == null || expected.getMessage().isBlank()) {
                throw new Broken("the exception does not say what could not be asked");
            }
        }
        way.heal();
        kit.await("the locks are shown again", () -> isShown(cutOff));
    }

    private static boolean isShown(Client client) {
        try {
            return !client.lookAt("").isEmpty();
        } catch (LockUnavailableException e) {
            return false;
        }
    }

    @Checks(I7)
    default void i7_aKeptLockIsShownAsKept(Kit kit) {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        Held held = client.grant(JOB, LONG);
        LockInfo.Holder holder = client.look(JOB).holder().orElseThrow(() -> new Broken("no holder is shown"));
        Duration minimum = LONG.multipliedBy(2);
        client.release(JOB, held.id(), minimum, Duration.ZERO);
        LockInfo shown = client.look(JOB);
        Optional<Duration> keptFor = shown.keptUntil().map(until -> Duration.between(holder.since(), until));
        boolean isRight = keptFor.isPresent()
                && keptFor.get().minus(minimum).abs().compareTo(Kit.ROUGHLY) <= 0
                && shown.holder().isEmpty();
        if (!isRight) {
            throw new Broken("released with a minimum hold of " + minimum + " since " + holder.since()
                    + ", the lock is shown as " + shown);
        }
    }
}
