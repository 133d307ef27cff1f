package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import dev.holdfast.lock.spi.failover.GrantValidity;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** An engine on virtual time whose store is the test: it sees each step and answers when it likes. */
final class ScriptedEngine {

    private record Sent(
            StoreExecutor.Lane lane,
            LockCommand command,
            DualClockInstant at,
            Duration timeout,
            Consumer<StoreResponse> to) {}

    private final VirtualTime time = new VirtualTime();
    private final Deque<Sent> sent = new ArrayDeque<>();
    private final Set<Consumer<Notification>> notifications = new HashSet<>();
    private final Set<Object> timers = new HashSet<>();
    private final Engine engine;
    private boolean deaf;
    private boolean exhausted;
    private int subscriptions;
    private Duration suspended = Duration.ZERO;

    /** On a store that can do nothing but the steps. */
    ScriptedEngine() {
        this(Set.of(), 16);
    }

    ScriptedEngine(Set<Capability> abilities, int handoff) {
        Random random = new Random(1);
        EngineContext outside = new EngineContext(
                this::now,
                this::timer,
                (lane, requests) -> requests.forEach(request ->
                        sent.add(new Sent(lane, request.command(), now(), request.timeout(), request.callback()))),
                GrantValidity.UNLIMITED,
                to -> {
                    subscriptions++;
                    if (deaf) {
                        throw new IllegalStateException("the store cannot signal now");
                    }
                    notifications.add(to);
                    return () -> notifications.remove(to);
                },
                Runnable::run,
                Runnable::run,
                random::nextLong);
        engine = new Engine(outside, "scripted", abilities, handoff, 0);
    }

    private Timers.Timer timer(Duration delay, Runnable task) {
        if (exhausted) {
            throw new OutOfMemoryError("no timer is to be had, on purpose");
        }
        Object timer = new Object();
        timers.add(timer);
        time.after(delay.toNanos(), () -> {
            if (timers.remove(timer)) {
                task.run();
            }
        });
        return () -> timers.remove(timer);
    }

    /** How many tasks are to run yet. */
    int timers() {
        return timers.size();
    }

    Engine engine() {
        return engine;
    }

    private DualClockInstant now() {
        return new DualClockInstant(time.now(), 1_767_000_000_000L + time.now() / 1_000_000 + suspended.toMillis());
    }

    /** The machine sleeps: the monotonic clock stands still, and timers with it; the wall clock goes on. */
    void suspend(Duration duration) {
        suspended = suspended.plus(duration);
    }

    /** The process stands still: time goes on, and timers are late. */
    void standStill(Duration duration) {
        time.standStill(duration);
    }

    /** From now on there is no timer to be had, or so again. */
    void exhaust(boolean isExhausted) {
        exhausted = isExhausted;
    }

    void pass(Duration duration) {
        time.run(duration, () -> false);
    }

    /** The step that was sent first of those without an answer; time passes until there is one. */
    <S extends LockCommand> S expect(Class<S> kind) {
        time.run(Duration.ofMinutes(1), () -> !sent.isEmpty());
        if (sent.isEmpty()) {
            throw new NoSuchElementException("nothing was sent within a minute; expected " + kind.getSimpleName());
        }
        return kind.cast(sent.element().command());
    }

    /** How long that step may take. */
    Duration timeout() {
        return sent.element().timeout();
    }

    /** Which thread carries that step out. */
    StoreExecutor.Lane lane() {
        return sent.element().lane();
    }

    /** Answers that step. */
    void answer(LockReply reply) {
        Sent step = sent.remove();
        step.to().accept(new StoreResponse(step.at(), reply));
    }

    void answerNothing() {
        answer(new LockReply.Unavailable(new IllegalStateException("no answer")));
    }

    /** The store signals. */
    void signal(Notification notification) {
        Set.copyOf(notifications).forEach(to -> to.accept(notification));
    }

    /** From now on nobody can listen to the store, or so again. */
    void deafen(boolean isDeaf) {
        deaf = isDeaf;
    }

    /** How often somebody tried to listen. */
    int subscriptions() {
        return subscriptions;
    }

    boolean listens() {
        return !notifications.isEmpty();
    }

    boolean isQuiet() {
        return sent.isEmpty();
    }
}
