package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.StateTransition;
import dev.holdfast.lock.internal.state.StoreLease;
import dev.holdfast.lock.internal.state.WaitQueue;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.time.SuspendDetector;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Begins transitions of the state, and carries out what they ask for. Thread-safe. */
final class Transitions {

    /** The caller's own command last: it may take a while. */
    private static final List<Lane> LANES = List.of(Lane.CLEANUP, Lane.BACKGROUND, Lane.RENEWAL, Lane.CALLER);

    private static final Logger log = LoggerFactory.getLogger(Transitions.class);

    private final Clock clock;
    private final CoalescingTimer timer;
    private final StoreCalls calls;
    private final Releases releases;
    private final ListenerNotifier listeners;
    private final Executor losses;
    private final LeaseLog leaseLog;
    private final Consumer<WaitQueue> whenDropped;

    private final Ordered leaseBegan;
    private final Ordered leaseEnded;
    private final Ordered listeningBegan;
    private final Ordered listeningEnded;
    private final Runnable tellListeners;
    private final Runnable subscribe;

    private volatile boolean closed;

    /**
     * Carries nothing out yet.
     *
     * @param whenDropped told of each queue that is not used any more, under its lock
     */
    Transitions(
            EngineContext context,
            StoreCalls calls,
            Releases releases,
            ListenerNotifier listeners,
            LeaseLog leaseLog,
            NotificationSubscription notifications,
            SuspendDetector suspendDetector,
            Consumer<WaitQueue> whenDropped) {
        this.clock = context.clock();
        this.timer = new CoalescingTimer(context.clock(), context.timers());
        this.calls = calls;
        this.releases = releases;
        this.listeners = listeners;
        this.losses = context.losses();
        this.leaseLog = leaseLog;
        this.whenDropped = whenDropped;
        this.leaseBegan = suspendDetector::begin;
        this.leaseEnded = suspendDetector::end;
        this.listeningBegan = notifications::begin;
        this.listeningEnded = notifications::end;
        this.tellListeners = listeners::tell;
        this.subscribe = notifications::open;
    }

    DualClockInstant now() {
        return clock.now();
    }

    boolean isOpen() {
        return !closed;
    }

    /** From now on no lease is handed on. */
    void close() {
        closed = true;
    }

    /** Has an event happen, in a transition of its own. */
    void happen(WaitQueue queue, Consumer<StateTransition> event) {
        DeferredActions actions = begin(queue);
        try {
            event.accept(actions);
        } finally {
            actions.run();
        }
    }

    /** Locks the name for a transition, which {@link DeferredActions#run} ends. */
    DeferredActions begin(WaitQueue queue) {
        DeferredActions actions = new DeferredActions(queue);
        queue.lock();
        return actions;
    }

    private void pushLoss(Consumer<LockLostException> listener, LockLostException loss) {
        losses.execute(() -> {
            try {
                listener.accept(loss);
            } catch (Throwable e) {
                log.error("a loss listener threw on: {}", loss.getMessage(), e);
            }
        });
    }

    /**
     * Carried out before the lock of the name is released, so that the actions of two transitions keep their order. They take no time
     * and run no code of a store or an application.
     */
    @FunctionalInterface
    private interface Ordered extends Runnable {}

    /** A command for the store. */
    private record Send(Lane lane, StoreRequest request) {}

    /** A timer of a name: what happens when it fires is a transition. */
    private final class NameAlarm extends CoalescingTimer.Alarm implements StateTransition.Alarm {

        private final WaitQueue queue;
        private final Consumer<StateTransition> event;

        NameAlarm(WaitQueue queue, Consumer<StateTransition> event) {
            timer.super();
            this.queue = queue;
            this.event = event;
        }

        @Override
        public void run() {
            DeferredActions actions = begin(queue);
            try {
                event.accept(actions);
            } finally {
                actions.run();
            }
        }
    }

    /** The reply to a command of a name is a transition. */
    private final class Reply implements Consumer<StoreReply> {

        private final WaitQueue queue;
        private final BiConsumer<StoreReply, StateTransition> event;

        Reply(WaitQueue queue, BiConsumer<StoreReply, StateTransition> event) {
            this.queue = queue;
            this.event = event;
        }

        @Override
        public void accept(StoreReply received) {
            try {
                calls.replied(received);
                DeferredActions actions = begin(queue);
                try {
                    event.accept(received, actions);
                } finally {
                    actions.run();
                }
            } finally {
                calls.settle();
            }
        }
    }

    /** An event that happens on a thread that may be lent, or on this one. It runs twice: first it offers itself, then it happens. */
    private final class Lent implements Runnable {

        private final WaitQueue queue;
        private final StateTransition.Lender lender;
        private final BiConsumer<Boolean, StateTransition> event;
        private boolean isOffered;
        /** Written before another thread can have it, or once none will. */
        private boolean isLent = true;

        Lent(WaitQueue queue, StateTransition.Lender lender, BiConsumer<Boolean, StateTransition> event) {
            this.queue = queue;
            this.lender = lender;
            this.event = event;
        }

        @Override
        public void run() {
            if (!isOffered) {
                isOffered = true;
                if (lender.lendThread(this, now())) {
                    return;
                }
                isLent = false;
            }
            DeferredActions actions = begin(queue);
            try {
                event.accept(isLent, actions);
            } finally {
                actions.run();
            }
        }
    }

    /**
     * One transition: what it asks for. {@link #run} ends it: the lock of the name is released, then the actions are carried out, so
     * that neither a store nor an application ever runs under a lock of the engine. Used by one thread:
     *
     * <pre>
     * DeferredActions actions = transitions.begin(queue);
     * try {
     *     // an event of the state, which asks for actions
     * } finally {
     *     actions.run(); // also after a failure: the changes made so far stay
     * }
     * </pre>
     */
    final class DeferredActions implements StateTransition {

        private final WaitQueue queue;
        private @Nullable DualClockInstant now;

        /** Each is {@link Ordered}, a {@link Send}, or another {@link Runnable} that takes no time and runs without the lock. */
        private final List<Object> actions = new ArrayList<>(4);

        private int sends;
        private boolean hasEvents;
        private boolean subscribes;
        private Releases.@Nullable Retry limited;
        private final FirstFailure failure = new FirstFailure();

        private DeferredActions(WaitQueue queue) {
            this.queue = queue;
        }

        @Override
        public DualClockInstant now() {
            if (now == null) {
                now = clock.now();
            }
            return now;
        }

        @Override
        public boolean isOpen() {
            return Transitions.this.isOpen();
        }

        private void inOrder(Ordered action) {
            actions.add(action);
        }

        @Override
        public void afterwards(Runnable task) {
            actions.add(task);
        }

        @Override
        public void lendThread(Lender lender, BiConsumer<Boolean, StateTransition> event) {
            afterwards(new Lent(queue, lender, event));
        }

        // --- Timers.

        @Override
        public Alarm newAlarm(Consumer<StateTransition> event) {
            return new NameAlarm(queue, event);
        }

        @Override
        public void setTimer(Alarm alarm, Duration delay) {
            setTimer(alarm, delay, CoalescingTimer.EXACT);
        }

        @Override
        public void setTimer(Alarm alarm, Duration delay, long slackNanos) {
            inOrder(() -> {
                boolean isSet = false;
                try {
                    alarm.set(delay, slackNanos, now());
                    isSet = true;
                } finally {
                    if (!isSet) {
                        queue.timerFailed();
                    }
                }
            });
        }

        @Override
        public void cancelTimer(Alarm alarm) {
            inOrder(alarm::cancel);
        }

        // --- The store.

        @Override
        public void send(
                Lane lane, LockCommand command, Duration timeout, BiConsumer<StoreReply, StateTransition> event) {
            calls.expect();
            add(lane, new StoreRequest(command, timeout, new Reply(queue, event)));
        }

        private void add(Lane lane, StoreRequest request) {
            actions.add(new Send(lane, request));
            sends++;
        }

        @Override
        public SentRelease release(
                Lane lane,
                LockCommand.Release command,
                LeaseOptions atMost,
                Duration patience,
                long token,
                DualClockInstant since,
                Consumer<ReleaseResult> callback) {
            Releases.Retry release = releases.awaited(command, atMost.callTimeout(), patience, result -> {
                if (!result.answered()) {
                    releaseLater(command, atMost);
                } else if (!result.wasHeld()) {
                    leaseLog.lost(queue.name(), token, since.until(clock.now()), StoreLease.OVER_BEFORE_RELEASE);
                }
                callback.accept(result);
            });
            send(lane, release);
            limited = release;
            return release;
        }

        @Override
        public void whenReplied(SentRelease release, Consumer<StateTransition> event) {
            ((Releases.Retry) release).whenReplied(() -> happen(queue, event));
        }

        @Override
        public boolean sendAhead(SentRelease release, Lane lane, Duration timeout) {
            StoreRequest request = ((Releases.Retry) release).takeBack(timeout);
            if (request == null) {
                return false;
            }
            add(lane, request);
            return true;
        }

        /** In a transition of its own. */
        private void releaseLater(LockCommand.Release command, LeaseOptions options) {
            happen(queue, later -> later.releaseOrphan(Lane.CLEANUP, command, options));
        }

        @Override
        public void releaseOrphan(Lane lane, LockCommand.Release command, LeaseOptions options) {
            send(lane, releases.orphan(command, options));
        }

        private void send(Lane lane, Releases.Retry release) {
            if (releases.register(release)) {
                add(lane, release.firstAttempt());
            } else {
                afterwards(release::refuse);
            }
        }

        // --- Others that have to know.

        @Override
        public void leaseBegan() {
            inOrder(leaseBegan);
        }

        @Override
        public void leaseEnded() {
            inOrder(leaseEnded);
        }

        @Override
        public void listeningBegan() {
            inOrder(listeningBegan);
            subscribes = true;
        }

        @Override
        public void listeningEnded() {
            inOrder(listeningEnded);
        }

        @Override
        public boolean hasListeners() {
            return listeners.hasListeners();
        }

        @Override
        public void tell(Consumer<LockListener> event) {
            queueEvent(event, false);
        }

        /** @param isLoss whether it is among the last to be dropped if listeners are slow */
        private void queueEvent(Consumer<LockListener> event, boolean isLoss) {
            if (listeners.hasListeners()) {
                inOrder(() -> listeners.put(event, isLoss));
                hasEvents = true;
            }
        }

        @Override
        public void unconfirmed(LockName name, LeaseKind kind, long token, Duration left, Throwable cause) {
            tell(listener -> listener.unconfirmed(name.value(), kind, token, left));
            afterwards(() -> leaseLog.unconfirmed(name, token, left, cause));
        }

        @Override
        public void confirmed(LockName name, LeaseKind kind, long token, Duration left) {
            tell(listener -> listener.confirmed(name.value(), kind, token, left));
            afterwards(() -> leaseLog.confirmed(name, token));
        }

        @Override
        public void lost(
                LockName name,
                LeaseKind kind,
                long token,
                Duration held,
                LockLostException loss,
                String why,
                List<Consumer<LockLostException>> lossListeners) {
            lossListeners.forEach(listener -> afterwards(() -> pushLoss(listener, loss)));
            queueEvent(listener -> listener.lost(name.value(), kind, token, held, loss), true);
            afterwards(() -> leaseLog.lost(name, token, held, why));
        }

        // --- Carrying out.

        /** Releases the lock of the name and carries the actions out. A failed action does not stop the others. */
        void run() {
            try {
                endState();
                for (int at = 0; at < actions.size(); at++) {
                    if (actions.get(at) instanceof Ordered action) {
                        failure.of(action);
                    }
                }
            } finally {
                queue.unlock();
            }
            for (int at = 0; at < actions.size(); at++) {
                if (!(actions.get(at) instanceof Ordered) && actions.get(at) instanceof Runnable task) {
                    failure.of(task);
                }
            }
            if (hasEvents) {
                failure.of(tellListeners);
            }
            if (subscribes) {
                failure.of(subscribe);
            }
            for (int lane = 0; sends > 0 && lane < LANES.size(); lane++) {
                List<StoreRequest> batch = batchOf(LANES.get(lane));
                if (!batch.isEmpty()) {
                    try {
                        calls.store().execute(LANES.get(lane), batch);
                    } catch (RuntimeException | Error e) {
                        failure.add(e);
                        failure.of(() -> refuse(batch, e));
                    }
                }
            }
            if (limited != null) { // after the calls, as most releases are answered by then
                failure.of(limited::limit);
            }
            failure.rethrow();
        }

        /** Replies to the commands that no thread has taken: a state would wait for their replies, and not repeat them. */
        private void refuse(List<StoreRequest> batch, Throwable cause) {
            StoreReply reply = new StoreReply(clock.now(), new LockReply.Unavailable(cause));
            for (StoreRequest request : batch) {
                if (request.take()) {
                    failure.of(() -> request.callback().accept(reply));
                }
            }
        }

        private void endState() {
            try {
                if (queue.end(this)) {
                    whenDropped.accept(queue);
                }
            } catch (RuntimeException | Error e) {
                failure.add(e);
            }
        }

        private List<StoreRequest> batchOf(Lane lane) {
            List<StoreRequest> batch = List.of();
            for (int at = 0; at < actions.size(); at++) {
                if (actions.get(at) instanceof Send send && send.lane() == lane) {
                    sends--;
                    if (batch.isEmpty()) {
                        batch = sends == 0 ? List.of(send.request()) : new ArrayList<>(List.of(send.request()));
                    } else {
                        batch.add(send.request());
                    }
                }
            }
            return batch;
        }
    }
}
