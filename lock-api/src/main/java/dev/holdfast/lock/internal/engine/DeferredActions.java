package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockListener;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One transition of a {@link WaitQueue}: the instant at which it happens and the {@linkplain Action actions} that it asks for.
 * {@link #run} ends it: the lock of the name is released, then the actions are carried out, so that neither a store nor an
 * application ever runs under a lock of the engine. Used by one thread:
 *
 * <pre>
 * DeferredActions actions = queue.begin();
 * try {
 *     // change the state, ask for actions
 * } finally {
 *     actions.run(); // also after a failure: the changes made so far stay
 * }
 * </pre>
 */
final class DeferredActions {

    /** The caller's own command last: it may take a while. */
    private static final List<Lane> LANES = List.of(Lane.CLEANUP, Lane.BACKGROUND, Lane.RENEWAL, Lane.CALLER);

    private final Engine engine;
    private final WaitQueue queue;
    private @Nullable DualClockInstant now;

    private final List<Action> actions = new ArrayList<>(4);
    private int sends;
    private boolean hasEvents;
    private boolean subscribes;
    private @Nullable ReleaseRetry limited;
    private @Nullable Throwable failure;

    DeferredActions(Engine engine, WaitQueue queue) {
        this.engine = engine;
        this.queue = queue;
    }

    /** The instant of this transition: read once, under the lock of the name. */
    DualClockInstant now() {
        if (now == null) {
            now = engine.now();
        }
        return now;
    }

    void setTimer(CoalescingTimer.Alarm timer, Duration delay) {
        setTimer(timer, delay, CoalescingTimer.EXACT);
    }

    void setTimer(CoalescingTimer.Alarm timer, Duration delay, long slackNanos) {
        actions.add(new Action.SetTimer(timer, delay, slackNanos));
    }

    void cancelTimer(CoalescingTimer.Alarm timer) {
        actions.add(new Action.CancelTimer(timer));
    }

    void count(Action.Count count) {
        actions.add(count);
        subscribes |= count == Action.Count.LISTENING_BEGAN;
    }

    /** Whether there is a listener that would get an event. */
    boolean hasListeners() {
        return engine.hasListeners();
    }

    /** Tells the lock listeners, in the order of the transitions. */
    void tell(Consumer<LockListener> event) {
        queueEvent(event, false);
    }

    void tellLoss(Consumer<LockListener> event) {
        queueEvent(event, true);
    }

    private void queueEvent(Consumer<LockListener> event, boolean isLoss) {
        if (engine.hasListeners()) {
            actions.add(new Action.QueueEvent(event, isLoss));
            hasEvents = true;
        }
    }

    void complete(AcquireCallback callback, AcquireResult result) {
        actions.add(new Action.CompleteAcquire(callback, result));
    }

    void complete(Consumer<ReleaseResult> callback, ReleaseResult result) {
        actions.add(new Action.CompleteRelease(callback, result));
    }

    void completeExtend(Consumer<ExtendResult> callback, ExtendResult result) {
        actions.add(new Action.CompleteExtend(callback, result));
    }

    void pushLoss(Consumer<LockLostException> listener, LockLostException loss) {
        actions.add(new Action.PushLoss(listener, loss));
    }

    void log(Consumer<LeaseLog> line) {
        actions.add(new Action.Log(line));
    }

    void acquireByWaiter(PendingAcquire pending, Waiter first) {
        actions.add(new Action.AcquireByWaiter(pending, first));
    }

    /** Sends a command; the engine is not settled before the callback has returned. */
    void send(Lane lane, LockCommand command, Duration timeout, Consumer<StoreResponse> callback) {
        actions.add(new Action.Send(lane, new StoreRequest(command, timeout, engine.expect(callback))));
        sends++;
    }

    /** Sends a release, and repeats it while it is unanswered. */
    void send(Lane lane, ReleaseRetry release) {
        if (!engine.register(release)) {
            actions.add(new Action.RefuseRelease(release));
            return;
        }
        send(lane, release.command(), release.timeout(), release);
        if (!release.isOrphan()) {
            limited = release;
        }
    }

    /** Releases an id that no caller waits for, and repeats that for as long as its lease could last. */
    void sendOrphan(Lane lane, LockCommand.Release command, LeaseOptions options) {
        send(lane, ReleaseRetry.orphan(engine, command, options));
    }

    /** Releases the lock of the name and carries the actions out. A failed action does not stop the others. */
    void run() {
        try {
            queue.dropIfIdle(this);
            for (int at = 0; at < actions.size(); at++) {
                if (actions.get(at) instanceof Action.Ordered action) {
                    perform(action);
                }
            }
        } finally {
            queue.unlock();
        }
        for (int at = 0; at < actions.size(); at++) {
            if (actions.get(at) instanceof Action.Deferred action) {
                perform(action);
            }
        }
        if (subscribes || hasEvents) {
            notifyOutside();
        }
        for (int lane = 0; sends > 0 && lane < LANES.size(); lane++) {
            List<StoreRequest> batch = batchOf(LANES.get(lane));
            if (!batch.isEmpty()) {
                try {
                    engine.store().execute(LANES.get(lane), batch);
                } catch (RuntimeException | Error e) {
                    failed(e);
                }
            }
        }
        if (limited != null) { // after the calls, as most releases are answered by then
            try {
                limited.limit();
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
        if (failure instanceof Error error) {
            throw error;
        } else if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private void perform(Action.Ordered action) {
        try {
            if (action instanceof Action.SetTimer set) {
                set.timer().set(set.delay(), set.slackNanos(), now());
            } else if (action instanceof Action.CancelTimer cancel) {
                cancel.timer().cancel();
            } else if (action instanceof Action.QueueEvent event) {
                engine.listeners().put(event.event(), event.isLoss());
            } else if (action instanceof Action.Count count) {
                engine.count(count);
            }
        } catch (RuntimeException | Error e) {
            if (action instanceof Action.SetTimer) {
                queue.timerFailed();
            }
            failed(e);
        }
    }

    private void perform(Action.Deferred action) {
        try {
            if (action instanceof Action.CompleteAcquire complete) {
                complete.callback().completed(complete.result());
            } else if (action instanceof Action.CompleteRelease complete) {
                complete.callback().accept(complete.result());
            } else if (action instanceof Action.CompleteExtend complete) {
                complete.callback().accept(complete.result());
            } else if (action instanceof Action.PushLoss push) {
                engine.pushLoss(push.listener(), push.loss());
            } else if (action instanceof Action.AcquireByWaiter acquire) {
                queue.requests().acquireByWaiter(acquire.pending(), acquire.first());
            } else if (action instanceof Action.Log log) {
                log.line().accept(engine.log());
            } else if (action instanceof Action.RefuseRelease refuse) {
                refuse.release().refuse();
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void notifyOutside() {
        try {
            if (hasEvents) {
                engine.listeners().tell();
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        try {
            if (subscribes) {
                engine.notifications().open();
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private List<StoreRequest> batchOf(Lane lane) {
        List<StoreRequest> batch = List.of();
        for (int at = 0; at < actions.size(); at++) {
            if (actions.get(at) instanceof Action.Send send && send.lane() == lane) {
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

    private void failed(Throwable another) {
        if (failure == null) {
            failure = another;
        } else if (failure != another) { // the JVM may throw the same preallocated error twice
            failure.addSuppressed(another);
        }
    }
}
