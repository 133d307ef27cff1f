package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One release, repeated until the store answers or it has ceased to matter. Repeating is harmless: a release touches nothing
 * but its own id.
 */
final class ReleaseRetry {

    private final Engine engine;
    private final Step.Release step;
    private final Duration timeout;
    private final Duration patience;
    /** Nothing waits for it. */
    private final boolean isOrphan;

    private final Consumer<ReleaseResult> to;
    private final DualClockInstant since;
    private final Backoff backoff;
    /** The latest failure. Written by the one attempt that is on its way, read by the next. */
    private volatile @Nullable Throwable unanswered;

    private volatile Timers.@Nullable Timer limit;

    private final AtomicBoolean over = new AtomicBoolean();

    private ReleaseRetry(
            Engine engine,
            Step.Release step,
            Duration timeout,
            Duration patience,
            boolean isOrphan,
            Consumer<ReleaseResult> to) {
        this.engine = engine;
        this.step = step;
        this.timeout = timeout;
        this.patience = patience;
        this.isOrphan = isOrphan;
        this.to = to;
        this.since = engine.now();
        this.backoff = engine.newBackoff();
    }

    /**
     * Of a lock that was held: {@code to} is told in time, also if the store is silent and others' steps are before it.
     *
     * @param patience for how long an unanswered release is repeated; zero for a single attempt
     */
    static ReleaseRetry awaited(
            Engine engine, Step.Release step, Duration timeout, Duration patience, Consumer<ReleaseResult> to) {
        return new ReleaseRetry(engine, step, timeout, patience, false, to);
    }

    /** Of an id that nobody waits for: repeated for as long as its lease could last. */
    static ReleaseRetry orphan(Engine engine, Step.Release step, LeaseOptions terms) {
        Duration patience = terms.length().plus(terms.callTimeout());
        return new ReleaseRetry(engine, step, terms.callTimeout(), patience, true, end -> {
            if (!end.answered()) {
                engine.leftToExpire(step.name(), end.why());
            }
        });
    }

    boolean isOrphan() {
        return isOrphan;
    }

    /** Whether it is worth more than the end of a lease that comes anyway. */
    boolean keeps() {
        return !step.keep().isZero();
    }

    void start(Lane lane, DeferredActions effects) {
        if (!engine.begin(this)) {
            effects.add(() -> end(
                    new ReleaseResult(false, false, new IllegalStateException("too many others are not answered"))));
            return;
        }
        effects.call(lane, step, timeout, this::onReply);
        if (!isOrphan) {
            effects.afterwards(this::limit);
        }
    }

    /** By a timer of its own: a reply may be late, as others' steps may be before it. */
    private void limit() {
        if (!over.get()) {
            Duration least = patience.compareTo(timeout) < 0 ? timeout : patience;
            DualClockInstant due = since.plus(least).plus(OutageTracker.GRACE);
            Duration left = engine.now().until(due);
            limit(left.isNegative() ? Duration.ZERO : left, () -> giveUpUnlessLate(due));
        }
    }

    private void limit(Duration delay, Runnable task) {
        limit = engine.after(delay, task);
        if (over.get()) {
            endLimit();
        }
    }

    private void giveUpUnlessLate(DualClockInstant due) {
        if (!OutageTracker.isLate(due, engine.now())) {
            giveUp();
        } else if (!over.get()) {
            limit(OutageTracker.GRACE, this::giveUp);
        }
    }

    private void endLimit() {
        Timers.Timer timer = limit;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void giveUp() {
        Throwable why = unanswered;
        end(new ReleaseResult(false, false, why == null ? new TimeoutException("no answer came in time") : why));
    }

    private void onReply(StoreResponse reply) {
        if (reply.answer() instanceof Answer.Released released) {
            end(new ReleaseResult(true, released.wasHeld() || unanswered != null, null));
            return;
        }
        unanswered = ((Answer.Unavailable) reply.answer()).why();
        if (since.until(engine.now()).compareTo(patience) >= 0) {
            giveUp();
        } else if (!over.get()) {
            engine.after(backoff.silent(), this::repeat);
        }
    }

    private void repeat() {
        if (over.get()) {
            return;
        }
        DeferredActions effects = new DeferredActions(engine);
        effects.call(isOrphan ? Lane.ORPHANS : Lane.BACKGROUND, step, timeout, this::onReply);
        effects.run();
    }

    /** Nobody is left who could repeat it. */
    void abandon() {
        end(new ReleaseResult(false, false, new IllegalStateException("these locks were closed meanwhile")));
    }

    private void end(ReleaseResult ended) {
        if (over.compareAndSet(false, true)) {
            endLimit();
            try {
                to.accept(ended);
            } finally {
                engine.over(this);
            }
        }
    }
}
