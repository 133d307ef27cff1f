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

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
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
        Held held = client.grant(JOB, LONG);
        LockInfo.Holder granted = expectHeldBy(client, held);
        expectLasts(granted, LONG);
        Duration longer = LONG.multipliedBy(2);
        Client.expect(Answer.Granted.class, client.renewing(held, longer), client.renew(held, longer));
        LockInfo.Holder renewed = expectHeldBy(client, held);
        if (!renewed.since().equals(granted.since())) {
            throw new Broken("a renewal changed since when the lock is held, from " + granted.since() + " to "
                    + renewed.since());
        }
        if (renewed.until().isBefore(granted.since().plus(longer).minusMillis(1))) {
            throw new Broken("renewed for " + longer + ", the lock granted at " + granted.since()
                    + " is shown as held until " + renewed.until());
        }
    }

    private static void expectLasts(LockInfo.Holder holder, Duration length) {
        Duration shown = Duration.between(holder.since(), holder.until());
        // A store may count in milliseconds.
        if (shown.minus(length).abs().compareTo(Duration.ofMillis(1)) > 0) {
            throw new Broken("a lease of " + length + " is shown as lasting " + shown + ": " + holder);
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
        client.grant(JOB, LONG);
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
        List<String> shown = client.look(JOB).waiters();
        if (!shown.equals(expected)) {
            throw new Broken("waiting are, in this order, " + expected + "; shown are " + shown);
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
        for (String prefix : List.of("", "a", "a%", "a_", "ab", "a[", "a*", "A", "a\\", "\uDBFF\uDFFF", "nothing")) {
            List<LockName> expected = names.stream()
                    .filter(name -> name.value().startsWith(prefix))
                    .toList();
            List<LockName> shown =
                    client.lookAt(prefix).stream().map(LockInfo::name).toList();
            if (!shown.equals(expected)) {
                throw new Broken("held are, with the beginning '" + prefix + "' and in the order of code points, "
                        + expected + "; shown are " + shown);
            }
        }
    }

    @Checks(I5)
    default void i5_lookingHoldsUpNobody(Kit kit) throws InterruptedException, ExecutionException {
        Client client = kit.clientOfStoreWith(Capability.INSPECT);
        List<Held> all = IntStream.range(0, 20)
                .mapToObj(number -> client.grant(new LockName("looked at " + number), LONG))
                .toList();
        Client other = kit.anotherClient();
        try (Stream<LockInfo> shown = client.inspect("")) {
            shown.iterator().next(); // the rest is never read
            CompletableFuture<Void> steps = CompletableFuture.runAsync(() -> {
                for (Held held : all) {
                    for (Client one : List.of(client, other)) {
                        one.expectHeld(held);
                        one.renew(held, LONG);
                    }
                    client.release(held);
                    other.release(other.grant(held.name(), LONG));
                }
            });
            steps.get(kit.contract.patience().toMillis(), TimeUnit.MILLISECONDS);
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
                && keptFor.get().minus(minimum).abs().compareTo(Duration.ofMillis(1)) <= 0
                && shown.holder().isEmpty();
        if (!isRight) {
            throw new Broken("released with a minimum hold of " + minimum + " since " + holder.since()
                    + ", the lock is shown as " + shown);
        }
    }
}
