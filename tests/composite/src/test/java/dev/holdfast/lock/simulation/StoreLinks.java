package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The faulty network between one process and the two stores of its composite. */
final class StoreLinks {

    private static final long LATE = 20_000_000;
    private static final long THREADS_WAKE_UP = 5_000_000;

    private final FailoverWorld world;
    private final FailoverProcess process;
    private boolean cutFromAuthority;
    private boolean cutFromPrimary;

    StoreLinks(FailoverWorld world, FailoverProcess process) {
        this.world = world;
        this.process = process;
    }

    void cutFromAuthority(long nanos) {
        cutFromAuthority = true;
        world.time.after(nanos, () -> cutFromAuthority = false);
    }

    void cutFromPrimary(long nanos) {
        cutFromPrimary = true;
        world.time.after(nanos, () -> cutFromPrimary = false);
    }

    /** Sends a question to a server; the reply is an answer or a failure. */
    <T> void toPrimary(
            RedisNode server,
            Duration timeout,
            boolean mayBeRepeated,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        // A server that is silent to all processes is not this process's trouble.
        send(() -> !server.isDown() && !cutFromPrimary, server::isDown, timeout, mayBeRepeated, question, reply);
    }

    <T> void toAuthority(
            Duration timeout, boolean mayBeRepeated, Supplier<T> question, BiConsumer<T, RuntimeException> reply) {
        send(() -> !world.isAuthorityDown() && !cutFromAuthority, () -> false, timeout, mayBeRepeated, question, reply);
    }

    private <T> void send(
            BooleanSupplier reaches,
            BooleanSupplier isEverybodys,
            Duration timeout,
            boolean mayBeRepeated,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        boolean[] arrived = new boolean[1];
        process.after(timeout, () -> {
            if (!arrived[0]) {
                arrived[0] = true;
                reply.accept(null, new LockUnavailableException("timeout", null));
            }
        });
        deliver(reaches, isEverybodys, world.network.delay(world.random), question, (answer, failure) -> {
            if (!arrived[0]) {
                arrived[0] = true;
                awake(() -> reply.accept(answer, failure));
            }
        });
        if (mayBeRepeated && world.network.repeats(world.random)) {
            long delay = world.network.lateDelay(world.random);
            deliver(reaches, () -> true, delay, question, (answer, failure) -> {});
        }
    }

    /** What has arrived is read once the process runs; its threads go on in an order by chance. */
    private void awake(Runnable task) {
        boolean isLate = process.isStopped() || world.random.nextInt(20) == 0;
        process.run(() -> {
            if (isLate) {
                world.time.after(world.random.nextLong(THREADS_WAKE_UP), () -> process.run(task));
            } else {
                task.run();
            }
        });
    }

    private <T> void deliver(
            BooleanSupplier reaches,
            BooleanSupplier isEverybodys,
            long delay,
            Supplier<T> question,
            BiConsumer<T, RuntimeException> reply) {
        if (isLost()) {
            return;
        }
        noteIfLate(delay);
        world.time.after(delay, () -> {
            if (!reaches.getAsBoolean()) {
                if (!isEverybodys.getAsBoolean()) {
                    process.troubled();
                }
                if (world.network.refuses(world.random)) {
                    reply.accept(null, new LockUnavailableException("refused", null));
                }
                return;
            }
            Runnable answer = answer(question, reply);
            if (isLost()) {
                return;
            }
            long back = world.network.delay(world.random);
            noteIfLate(back);
            world.time.after(back, answer);
        });
    }

    /** Carries the question out, and returns what tells the outcome. */
    private static <T> Runnable answer(Supplier<T> question, BiConsumer<T, RuntimeException> reply) {
        try {
            T answer = question.get();
            return () -> reply.accept(answer, null);
        } catch (RuntimeException e) {
            return () -> reply.accept(null, e);
        }
    }

    private boolean isLost() {
        boolean lost = world.network.loses(world.random);
        if (lost) {
            process.troubled();
        }
        return lost;
    }

    private void noteIfLate(long delay) {
        if (delay > LATE) {
            process.troubled();
        }
    }
}
