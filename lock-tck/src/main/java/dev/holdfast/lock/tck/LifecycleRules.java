package dev.holdfast.lock.tck;

import static dev.holdfast.lock.tck.Kit.JOB;
import static dev.holdfast.lock.tck.Kit.LONG;
import static dev.holdfast.lock.tck.Rule.P1_18;
import static dev.holdfast.lock.tck.Rule.P5_5;
import static dev.holdfast.lock.tck.StoreClient.acquiring;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** P1 and P5: closed stores and interrupted threads. */
interface LifecycleRules {

    @Checks(P1_18)
    default void p1_18_aClosedStoreKeepsItsLeasesAndIsUnavailable(Kit kit) {
        StoreClient other = kit.client();
        HeldLock others = other.grant(new LockName("held through another store"), LONG);
        StoreClient closed = kit.anotherClient();
        HeldLock held = null;
        for (long start = System.nanoTime(); held == null; ) {
            if (System.nanoTime() - start > Kit.REPEAT_LIMIT.toNanos()) {
                throw new RuleBroken("a lease ends when the store that granted it is closed");
            }
            held = heldThroughClosed(kit, closed, other);
            closed = held == null ? kit.anotherClient() : closed;
        }

        other.expectHeld(others);
        kit.anotherClient().expectBusy(others.name());
        for (LockCommand command : List.of(
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, held.id(), LONG),
                new LockCommand.Renew(JOB, held.id(), LONG),
                new LockCommand.Release(JOB, held.id(), Duration.ZERO, Duration.ZERO))) {
            LockReply reply = closed.tryExecute(command, Duration.ofSeconds(10));
            if (!(reply instanceof LockReply.Unavailable)) {
                throw new RuleBroken("a closed store replied " + reply + "\n  to " + command);
            }
        }
    }

    /** A lease that is held even though its store is closed; null if the lease has ended, as more than time may end it. */
    private static @Nullable HeldLock heldThroughClosed(Kit kit, StoreClient closed, StoreClient other) {
        HeldLock held = closed.grant(JOB, LONG);
        long end = closed.endOf(held);
        if (closed.store().capabilities().contains(Capability.NOTIFICATIONS)) {
            kit.subscribe(closed);
        }
        FutureTask<Void> closing = new FutureTask<>(
                () -> {
                    closed.close();
                    closed.close();
                },
                null);
        Thread thread = ConcurrentCalls.start("closing", closing);
        kit.await("a store is closed, though it has a subscription", closing::isDone);
        ConcurrentCalls.result(closing, thread);
        LockCommand.Acquire others = acquiring(JOB, Kit.id(), LONG);
        LockReply reply = other.execute(others);
        if (reply instanceof LockReply.Granted && System.nanoTime() - end >= 0) {
            other.release(JOB, others.id(), Duration.ZERO, Duration.ZERO);
            return null;
        }
        StoreClient.expect(LockReply.Busy.class, others, reply);
        return held;
    }

    @Checks(P5_5)
    default void p5_5_anInterruptedThreadStaysInterrupted(Kit kit) {
        StoreClient client = kit.client();
        HeldLock held = client.grant(JOB, LONG);
        List<LockCommand> each = List.of(
                acquiring(new LockName("free"), Kit.id(), LONG),
                acquiring(JOB, Kit.id(), LONG),
                new LockCommand.Renew(JOB, held.id(), LONG),
                new LockCommand.Release(JOB, Kit.id(), Duration.ZERO, LONG));
        for (List<LockCommand> commands :
                Stream.concat(each.stream().map(List::of), Stream.of(each)).toList()) {
            try (BackgroundCall call = new BackgroundCall(client, commands, Duration.ofSeconds(10), true)) {
                kit.await("an interrupted call returns", call::isOver);
                call.expectStillInterrupted();
            }
        }
        // An interrupt may have closed a connection, which costs one more call at most.
        kit.awaitAvailable(client, acquiring(JOB, held.id(), LONG), Duration.ofSeconds(10));
        client.expectHeld(held);
    }
}
