package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P6_1;
import static dev.holdfast.lock.tck.Rule.P6_2;
import static dev.holdfast.lock.tck.Rule.P6_3;
import static dev.holdfast.lock.tck.Rule.P6_5;
import static dev.holdfast.lock.tck.Rule.P6_6;
import static dev.holdfast.lock.tck.Rule.P6_7;
import static dev.holdfast.lock.tck.StoreClient.acquiring;
import static dev.holdfast.lock.tck.UnansweredCalls.TIMEOUT;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** P6: a store that cannot reply says so. */
interface OutageRules {

    @Checks(P6_1)
    default void p6_1_anUnreachableStoreIsUnavailable(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient client = kit.clientOf(connection.configuration(), kit.namespace);
        HeldLock held = client.patient().grant(JOB, LONG);
        connection.cut();
        for (LockCommand command : everyKindOfStep(held)) {
            expectUnavailable(command, client.tryExecute(command, TIMEOUT), "is unreachable");
        }
        List<LockCommand> batch = everyKindOfStep(held);
        List<LockReply> replies = client.tryExecuteAll(batch, TIMEOUT);
        for (int at = 0; at < batch.size(); at++) {
            expectUnavailable(batch.get(at), replies.get(at), "is unreachable");
        }
    }

    @Checks(P6_2)
    default void p6_2_aStoreThatDoesNotRespondIsUnavailable(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient client = kit.clientOf(connection.configuration(), kit.namespace);
        HeldLock held = client.patient().grant(JOB, LONG);
        connection.silence();
        for (LockCommand command : everyKindOfStep(held)) {
            try (BackgroundCall call = new BackgroundCall(client, command, TIMEOUT)) {
                awaitEnd(call);
                expectUnavailable(command, call.answer(), "does not respond");
            }
        }
        List<LockCommand> batch = everyKindOfStep(held);
        try (BackgroundCall call = new BackgroundCall(client, batch, TIMEOUT)) {
            awaitEnd(call);
            for (int at = 0; at < batch.size(); at++) {
                expectUnavailable(batch.get(at), call.answers().get(at), "does not respond");
            }
        }
        if (client.store().capabilities().contains(Capability.LIST)) {
            OperatorRules.expectFailure(new FutureTask<>(() -> client.list("", TIMEOUT)));
        }
        LockCommand command = acquiring(JOB, Kit.id(), LONG);
        try (BackgroundCall call = new BackgroundCall(client, command, TIMEOUT)) {
            Kit.pause(TIMEOUT.dividedBy(5));
            call.interrupt();
            awaitEnd(call);
            expectUnavailable(command, call.answer(), "does not respond");
            call.expectStillInterrupted();
        }
    }

    @Checks(P6_6)
    default void p6_6_noCallWaitsForOthersThatGetNoResponse(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient client = kit.clientOf(connection.configuration(), kit.namespace);
        HeldLock held = client.patient().grant(JOB, LONG);
        connection.silence();
        int calls = Math.max(
                UnansweredCalls.MANY,
                2 * Math.min(LockStore.MAX_PARALLEL_CALLS, client.store().parallelCalls()));
        List<BackgroundCall> running = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            running.add(kit.closeAfterwards(new BackgroundCall(client, client.renewing(held, LONG), TIMEOUT)));
        }
        awaitEnd(running);
        for (BackgroundCall call : running) {
            expectUnavailable(client.renewing(held, LONG), call.answer(), "does not respond");
        }
    }

    private static void awaitEnd(BackgroundCall call) {
        awaitEnd(List.of(call));
    }

    /** The same for calls that run at once. */
    private static void awaitEnd(List<BackgroundCall> calls) {
        UnansweredCalls running = new UnansweredCalls();
        String what = calls.size() == 1 ? "a call" : "one of " + calls.size() + " calls";
        calls.forEach(call -> running.awaitEnd(what, call::isOver, call::stack));
    }

    @Checks(P6_3)
    default void p6_3_aStoreThatIsBackKeepsItsLeases(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        StoreClient client = kit.clientOf(connection.configuration(), kit.namespace);
        HeldLock held = client.patient().grant(JOB, LONG);
        LockName other = new LockName("another name");
        HeldLock before = client.patient().grant(other, LONG);
        client.patient().release(before);
        connection.cut();
        client.tryExecute(acquiring(new LockName("during"), Kit.id(), LONG), TIMEOUT);
        connection.heal();

        kit.awaitAvailable(client, acquiring(JOB, held.id(), LONG), TIMEOUT);
        client.expectHeld(held);
        client.expectBusy(JOB);
        client.release(held);
        client.grant(JOB, LONG);
        LockCommand.Acquire acquire = acquiring(other, Kit.id(), LONG);
        kit.awaitAvailable(client, acquire, TIMEOUT); // may be on another server, with its own connections
        HeldLock after = client.grant(acquire);
        if (after.token() <= before.token()) {
            throw new RuleBroken("token " + after.token() + " is not greater than " + before.token()
                    + ", that of a grant before the store was unreachable");
        }
    }

    @Checks(P6_5)
    default void p6_5_openingAnUnreachableStoreFails(Kit kit) {
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        connection.cut();
        try (LockStore store = LockConfiguration.of(Kit.in(kit.namespace, connection.configuration()))
                .openStore()) {
            throw new RuleBroken("an unreachable store was opened: " + store);
        } catch (LockUnavailableException expected) {
            if (expected.getMessage() == null || expected.getMessage().isBlank()) {
                throw new RuleBroken("the LockUnavailableException has no message");
            }
        }
    }

    @Checks(P6_7)
    default void p6_7_openingAStoreThatDoesNotRespondFails(Kit kit) {
        kit.client(); // the namespace exists
        BreakableConnection connection = kit.closeAfterwards(kit.contract.breakableConnection());
        connection.silence();
        LockConfiguration configured = LockConfiguration.of(Kit.in(kit.namespace, connection.configuration()));
        FutureTask<String> opening = new FutureTask<>(() -> {
            try (LockStore store = configured.openStore()) {
                return "a store that does not respond was opened: " + store;
            } catch (LockUnavailableException expected) {
                return "";
            }
        });
        Thread thread = ConcurrentCalls.start("opening", opening);
        try {
            kit.await("the opening of a store that does not respond ends", opening::isDone);
            String wrong = ConcurrentCalls.result(opening, thread);
            if (!wrong.isEmpty()) {
                throw new RuleBroken(wrong);
            }
        } finally {
            thread.interrupt();
        }
    }

    private static List<LockCommand> everyKindOfStep(HeldLock held) {
        return List.of(
                acquiring(JOB, Kit.id(), LONG),
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, held.id(), LONG),
                new LockCommand.Renew(JOB, held.id(), LONG),
                new LockCommand.Release(JOB, held.id(), Duration.ZERO, Duration.ZERO));
    }

    private static void expectUnavailable(LockCommand command, LockReply reply, String how) {
        if (!(reply instanceof LockReply.Unavailable)) {
            throw new RuleBroken("the store " + how + ", but the reply was " + reply + "\n  to " + command);
        }
    }
}
