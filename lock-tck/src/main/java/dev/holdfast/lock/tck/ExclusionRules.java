package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_1;
import static dev.holdfast.lock.tck.Rule.P1_2;
import static dev.holdfast.lock.tck.Rule.P1_3;
import static dev.holdfast.lock.tck.Rule.P1_4;
import static dev.holdfast.lock.tck.Rule.P1_5;
import static dev.holdfast.lock.tck.Rule.P1_6;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** P1: at most one holder of a name, and names that are compared exactly. */
interface ExclusionRules {

    @Checks(P1_1)
    default void p1_1_aHeldLockIsRefusedToEveryOtherId(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);

        client.expectBusy(JOB);
        client.expectBusy(JOB);
        if (!client.store().capabilities().contains(Capability.QUEUE)) {
            LockCommand.Acquire waiting = StoreClient.queueing(JOB, Kit.id(), LONG);
            StoreClient.expect(LockReply.Busy.class, waiting, client.execute(waiting));
        }
        client.expectHeld(held);
        client.release(held);
        HeldLock next = client.grant(JOB, LONG);
        client.expectBusy(JOB, held.id());
        client.expectHeld(next);
    }

    @Checks(P1_2)
    default void p1_2_namesAreComparedExactly(Kit kit) {
        StoreClient client = kit.client();
        List<HeldLock> all = new ArrayList<>();
        for (LockName name : SampleNames.ALIKE) {
            LockCommand.Acquire command = acquiring(name, Kit.id(), LONG);
            LockReply reply = client.execute(command);
            if (reply instanceof LockReply.Busy) {
                throw new RuleBroken(
                        "a lock is busy because a lock with a similar name is held: " + SampleNames.escaped(name));
            }
            LockReply.Granted granted = StoreClient.expect(LockReply.Granted.class, command, reply);
            all.add(new HeldLock(name, command.id(), granted.token(), granted.remaining(), 0, 0));
        }
        all.forEach(client::expectHeld);
        for (HeldLock held : all) {
            if (!client.release(held)) {
                throw new RuleBroken("the release of a lock with a similar name has ended the lease of "
                        + SampleNames.escaped(held.name()));
            }
        }
    }

    @Checks(P1_3)
    default void p1_3_everyAllowedNameWorks(Kit kit) {
        StoreClient client = kit.client();
        for (LockName name : SampleNames.UNUSUAL) {
            try {
                HeldLock held = client.grant(name, LONG);
                client.expectBusy(name);
                StoreClient.expect(
                        LockReply.Granted.class,
                        new LockCommand.Renew(name, held.id(), LONG),
                        client.renew(held, LONG));
                if (!client.release(held)) {
                    throw new RuleBroken("the release of a held lock replied wasHeld = false");
                }
                client.release(name, held.id(), LONG, LONG);
                client.expectGone(acquiring(name, held.id(), LONG));
                client.release(client.grant(name, LONG));
            } catch (RuntimeException | RuleBroken e) {
                RuleBroken broken =
                        new RuleBroken("with the name " + SampleNames.escaped(name) + ": " + e.getMessage());
                broken.initCause(e);
                throw broken;
            }
        }
    }

    @Checks(P1_4)
    default void p1_4_namespacesAreIndependent(Kit kit) {
        Namespace plain = kit.namespace;
        List<HeldLock> all = new ArrayList<>();
        List<StoreClient> clients = new ArrayList<>();
        // Many would be the same text if namespace and name were concatenated, or joined with a dot.
        String[][] places = {
            {"", "job"},
            {".a", "job"},
            {"", "a.job"},
            {"", ".a.job"},
            {"", ".ajob"},
            {"", "-ajob"},
            {"", "_ajob"},
            {"-a", "job"},
            {"", "a-job"},
            {"_a", "job"},
            {"", "a_job"},
            {".A", "job"},
            {"x".repeat(64 - plain.value().length()), "job"},
            {"x".repeat(63 - plain.value().length()), "job"},
            {"x".repeat(63 - plain.value().length()) + "y", "job"},
        };
        for (String[] place : places) {
            StoreClient client = kit.clientIn(new Namespace(plain + place[0]));
            clients.add(client);
            all.add(client.grant(new LockName(place[1]), LONG));
        }
        if (clients.get(0).store().capabilities().contains(Capability.QUEUE)) {
            clients.get(0).enqueue(all.get(0).name());
        }
        for (int i = all.size() - 1; i >= 0; i--) {
            clients.get(i).expectHeld(all.get(i));
            if (!clients.get(i).release(all.get(i))) {
                throw new RuleBroken("a release in another namespace has ended the lease");
            }
            if (i > 0) {
                clients.get(i).grant(all.get(i).name(), LONG); // for which no waiter of this namespace waits
            }
        }
    }

    @Checks(P1_5)
    default void p1_5_everyStoreSeesTheSameLocks(Kit kit) {
        StoreClient one = kit.client();
        StoreClient other = kit.anotherClient();

        Set<Capability> first = one.store().capabilities();
        for (StoreClient later : List.of(other, one, other)) {
            if (!later.store().capabilities().equals(first)) {
                throw new RuleBroken("capabilities() must not change, but was " + first + " and "
                        + later.store().capabilities());
            }
        }
        expectUnsupported(first, Capability.LIST, () -> one.store().list("", StoreClient.TIMEOUT));
        expectUnsupported(first, Capability.NOTIFICATIONS, () -> one.store().subscribe(any -> {}));
        LockCommand.Release shared =
                new LockCommand.Release(JOB, Kit.id(), Duration.ZERO, Duration.ZERO, Share.shared());
        expectUnsupported(first, Capability.SHARES, () -> {
            List<LockReply> replies = one.store().execute(List.of(shared), StoreClient.TIMEOUT);
            throw new RuleBroken("a store without the capability SHARES executed a command for a share: " + replies);
        });
        HeldLock held = one.grant(JOB, LONG);
        other.expectBusy(JOB);
        other.expectHeld(held);
        if (!other.release(held)) {
            throw new RuleBroken("a release through a second store did not find the lease that the first granted");
        }
        other.grant(JOB, LONG);
        one.expectBusy(JOB);
    }

    /** Checks that a call that needs a capability is refused without it. */
    private static void expectUnsupported(
            Set<Capability> capabilities, Capability capability, Supplier<AutoCloseable> call) {
        if (capabilities.contains(capability)) {
            return;
        }
        try (AutoCloseable result = call.get()) {
            throw new RuleBroken("a store without the capability " + capability + " returned " + result);
        } catch (UnsupportedOperationException expected) {
            // without the capability that is the only result
        } catch (Exception e) {
            throw new IllegalStateException("a result could not be closed", e);
        }
    }

    @Checks(P1_6)
    default void p1_6_ofConcurrentAcquiresExactlyOneIsGranted(Kit kit) {
        int threads = 8;
        StoreClient client = kit.client();
        StoreClient other = kit.anotherClient();
        for (int round = 0; round < 20; round++) {
            LockName name = new LockName("round " + round);
            List<LockCommand.Acquire> commands = IntStream.range(0, threads)
                    .mapToObj(any -> acquiring(name, Kit.id(), LONG))
                    .toList();
            List<LockReply> replies =
                    ConcurrentCalls.run(threads, i -> (i % 2 == 0 ? client : other).execute(commands.get(i)));
            long granted =
                    replies.stream().filter(LockReply.Granted.class::isInstance).count();
            long busy =
                    replies.stream().filter(LockReply.Busy.class::isInstance).count();
            if (granted != 1 || busy != threads - 1) {
                throw new RuleBroken(
                        threads + " threads acquired one free lock at once: one must be granted and the others busy,"
                                + " but the replies were " + replies);
            }
            for (int i = 0; i < threads; i++) {
                LockReply again = client.execute(commands.get(i));
                if (replies.get(i) instanceof LockReply.Granted != again instanceof LockReply.Granted) {
                    throw new RuleBroken("the reply " + replies.get(i)
                            + " was for another thread: the repeated acquire got " + again);
                }
            }
        }
    }
}
