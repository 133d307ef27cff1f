package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One release, repeated until the store answers or its lease must be over. Repeating is harmless, as a release affects its own id
 * only. Thread-safe. It belongs to no queue, as it may outlive the queue.
 */
final class ReleaseRetry implements Consumer<StoreResponse> {

    private final Engine engine;
    private final LockCommand.Release command;
    private final Duration timeout;
    private final Duration patience;
    /** No caller waits for it. */
    private final boolean isOrphan;

    private final Consumer<ReleaseResult> callback;
    private final DualClockInstant since;
    private final Backoff backoff;
    /** The latest failure. Written by the one attempt that is under way, read by the next. */
    private volatile @Nullable Throwable unanswered;

    private volatile Timers.@Nullable Timer limit;

    private final AtomicBoolean over = new AtomicBoolean();

    private ReleaseRetry(
            Engine engine,
            LockCommand.Release command,
            Duration timeout,
            Duration patience,
            boolean isOrphan,
            Consumer<ReleaseResult> callback) {
        this.engine = engine;
        this.command = command;
        this.timeout = timeout;
        this.patience = patience;
        this.isOrphan = isOrphan;
        this.callback = callback;
        this.since = engine.now();
        this.backoff = engine.newBackoff();
    }

    /**
     * Releases a lock that was held. The callback is told in time, even if the store does not answer or other commands come first.
     *
     * @param patience for how long an unanswered release is repeated; zero for a single attempt
     */
    static ReleaseRetry awaited(
            Engine engine,
            LockCommand.Release command,
            Duration timeout,
            Duration patience,
            Consumer<ReleaseResult> callback) {
        return new ReleaseRetry(engine, command, timeout, patience, false, callback);
    }

    /** Releases an id that no caller waits for: repeated for as long as its lease could last. */
    static ReleaseRetry orphan(Engine engine, LockCommand.Release command, LeaseOptions options) {
        Duration patience = options.length().plus(options.callTimeout());
        return new ReleaseRetry(engine, command, options.callTimeout(), patience, true, result -> {
            Throwable cause = result.cause();
            if (cause != null) {
                engine.log().leftToExpire(command.name(), cause);
            }
        });
    }

    LockCommand.Release command() {
        return command;
    }

    Duration timeout() {
        return timeout;
    }

    boolean isOrphan() {
        return isOrphan;
    }

    /** Whether it sets a minimum hold, which only a release can do; a lease also ends by itself. */
    boolean keepsMinimumHold() {
        return !command.minimumHold().isZero();
    }

    /** Sets the timer that ends it in time: a response may be late, as other commands may come first. */
    void limit() {
        if (!over.get()) {
            DualClockInstant due = since.plus(Durations.max(patience, timeout)).plus(OutageTracker.GRACE);
            Duration left = engine.now().until(due);
            setLimit(Durations.max(left, Duration.ZERO), () -> giveUpUnlessLate(due));
        }
    }

    private void setLimit(Duration delay, Runnable task) {
        limit = engine.after(delay, task);
        if (over.get()) {
            cancelLimit();
        }
    }

    private void giveUpUnlessLate(DualClockInstant due) {
        if (!OutageTracker.isLate(due, engine.now())) {
            giveUp();
        } else if (!over.get()) {
            setLimit(OutageTracker.GRACE, this::giveUp);
        }
    }

    private void cancelLimit() {
        Timers.Timer timer = limit;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void giveUp() {
        Throwable cause = unanswered;
        end(ReleaseResult.unanswered(cause == null ? new TimeoutException("no answer came in time") : cause));
    }

    /** The store answered, or did not in time. */
    @Override
    public void accept(StoreResponse response) {
        if (response.reply() instanceof LockReply.Released released) {
            end(new ReleaseResult(true, released.wasHeld() || unanswered != null, null));
            return;
        }
        unanswered = ((LockReply.Unavailable) response.reply()).cause();
        if (since.until(engine.now()).compareTo(patience) >= 0) {
            giveUp();
        } else if (!over.get()) {
            engine.after(backoff.silent(), this::repeat);
        }
    }

    private void repeat() {
        if (!over.get()) {
            engine.send(isOrphan ? Lane.CLEANUP : Lane.BACKGROUND, command, timeout, this);
        }
    }

    /** Ends it without sending it, as too many others are unanswered. */
    void refuse() {
        end(ReleaseResult.unanswered(new IllegalStateException("too many other releases are unanswered")));
    }

    /** Ends it because the engine is closed. */
    void abandon() {
        end(ReleaseResult.unanswered(new IllegalStateException("these locks were closed meanwhile")));
    }

    private void end(ReleaseResult result) {
        if (over.compareAndSet(false, true)) {
            cancelLimit();
            try {
                callback.accept(result);
            } finally {
                engine.unregister(this);
            }
        }
    }
}
