package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.Engine;
import dev.holdfast.lock.internal.engine.EngineContext;
import dev.holdfast.lock.internal.state.TurnLimits;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.DualClockInstant;
import dev.holdfast.lock.testing.RecordedLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** An engine on virtual time whose store is the test: the test sees each command and replies when it chooses. */
final class ScriptedEngine {

    private record Sent(
            StoreExecutor.Lane lane,
            LockCommand command,
            DualClockInstant at,
            Duration timeout,
            Consumer<StoreReply> callback) {}

    private record Unsent(StoreExecutor.Lane lane, StoreRequest request) {}

    private final VirtualTime time = new VirtualTime();
    private final RecordedLog log = new RecordedLog();
    private final Deque<Sent> sent = new ArrayDeque<>();
    private final List<Unsent> unsent = new ArrayList<>();
    private final Set<Consumer<Notification>> listeners = new HashSet<>();
    private final Set<Object> timers = new HashSet<>();
    private final List<Runnable> cancelled = new ArrayList<>();
    private final Engine engine;
    private boolean hasNoThreads;
    private boolean failsSends;
    private boolean failsSubscriptions;
    private boolean exhausted;
    private int subscriptions;
    private Duration suspended = Duration.ZERO;
    private Duration suspension = Duration.ZERO;

    /** Uses a store without optional capabilities. */
    ScriptedEngine() {
        this(Set.of(), 16);
    }

    ScriptedEngine(Set<Capability> abilities, int handoff) {
        this(abilities, TurnLimits.on(Duration.ZERO, OptionalInt.of(handoff)));
    }

    ScriptedEngine(Set<Capability> abilities, TurnLimits turn) {
        Random random = new Random(1);
        EngineContext outside = new EngineContext(
                this::now,
                this::timer,
                (lane, requests) -> {
                    if (failsSends) {
                        throw new OutOfMemoryError("nothing can be sent, on purpose");
                    }
                    requests.forEach(request -> execute(lane, request));
                },
                new SlowlyRead(),
                listener -> {
                    subscriptions++;
                    if (failsSubscriptions) {
                        throw new IllegalStateException("the store cannot signal now");
                    }
                    listeners.add(listener);
                    return () -> listeners.remove(listener);
                },
                Runnable::run,
                Runnable::run,
                random::nextLong,
                log);
        engine = new Engine(outside, "1@scripted", "the scripted store", abilities, turn, 0);
    }

    private void execute(StoreExecutor.Lane lane, StoreRequest request) {
        if (hasNoThreads && lane != StoreExecutor.Lane.CALLER) {
            unsent.add(new Unsent(lane, request));
        } else if (request.take()) {
            sent.add(new Sent(lane, request.command(), now(), request.timeout(), request.callback()));
        }
    }

    /** The threads that send on behalf of callers get no processor from now on. */
    void holdThreads() {
        hasNoThreads = true;
    }

    /** They go on. */
    void letThreadsGoOn() {
        hasNoThreads = false;
        unsent.forEach(command -> execute(command.lane(), command.request()));
        unsent.clear();
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
        return () -> {
            if (timers.remove(timer)) {
                cancelled.add(task);
            }
        };
    }

    /** The number of pending timers. */
    int timers() {
        return timers.size();
    }

    Engine engine() {
        return engine;
    }

    /** The lines for operators so far. */
    List<String> log() {
        return log.lines();
    }

    private DualClockInstant now() {
        return new DualClockInstant(time.now(), VirtualTime.WALL_START_NANOS + time.now() + suspended.toNanos());
    }

    /** The machine sleeps: the monotonic clock and the timers stand still, the wall clock goes on. */
    void suspend(Duration duration) {
        suspended = suspended.plus(duration);
    }

    /** Suspends the machine when the end of a lease is read next, before it is compared with the time. */
    void suspendWhileAnEndIsRead(Duration duration) {
        suspension = duration;
    }

    private final class SlowlyRead implements GrantValidity {
        @Override
        public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
            suspend(suspension);
            suspension = Duration.ZERO;
            return deadline;
        }

        @Override
        public boolean isSettled(LockName name, AcquisitionId id) {
            return true;
        }
    }

    /** The process stands still: time goes on, and timers are late. */
    void standStill(Duration duration) {
        time.standStill(duration);
    }

    /** Makes the creation of timers fail from now on, or succeed again. */
    void exhaust(boolean isExhausted) {
        exhausted = isExhausted;
    }

    /** Makes the sending of commands fail from now on, before any is sent, or succeed again. */
    void failSends(boolean isFailing) {
        failsSends = isFailing;
    }

    /** Each timer that was cancelled fires nevertheless, as one does that was about to run. */
    void fireCancelledTimers() {
        List<Runnable> late = List.copyOf(cancelled);
        cancelled.clear();
        late.forEach(Runnable::run);
    }

    void pass(Duration duration) {
        time.run(duration, () -> false);
    }

    /** The oldest command without a reply; time passes until there is one. */
    <S extends LockCommand> S expect(Class<S> kind) {
        time.run(Duration.ofMinutes(1), () -> !sent.isEmpty());
        if (sent.isEmpty()) {
            throw new NoSuchElementException("nothing was sent within a minute; expected " + kind.getSimpleName());
        }
        return kind.cast(sent.element().command());
    }

    /** The timeout of that command. */
    Duration timeout() {
        return sent.element().timeout();
    }

    /** The lane of that command. */
    StoreExecutor.Lane lane() {
        return sent.element().lane();
    }

    /** Replies to that command. */
    void reply(LockReply reply) {
        Sent first = sent.remove();
        first.callback().accept(new StoreReply(first.at(), reply));
    }

    /** Replies to the latest command. */
    void replyToLatest(LockReply reply) {
        Sent latest = sent.removeLast();
        latest.callback().accept(new StoreReply(latest.at(), reply));
    }

    void replyUnavailable() {
        reply(new LockReply.Unavailable(new IllegalStateException("no answer")));
    }

    /** The store sends a notification. */
    void notifyWaiters(Notification notification) {
        Set.copyOf(listeners).forEach(listener -> listener.accept(notification));
    }

    /** Makes subscriptions to the store fail from now on, or succeed again. */
    void failSubscriptions(boolean isFailing) {
        failsSubscriptions = isFailing;
    }

    /** The number of attempts to subscribe. */
    int subscriptions() {
        return subscriptions;
    }

    boolean isSubscribed() {
        return !listeners.isEmpty();
    }

    boolean isQuiet() {
        return sent.isEmpty();
    }
}
