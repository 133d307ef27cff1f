package dev.holdfast.lock.internal;

import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One release, repeated until the store answers or it has ceased to matter. Repeating is harmless: a release touches nothing
 * but its own id.
 */
final class Releasing {

    /**
     * How it ended.
     *
     * @param answered whether the store answered
     * @param wasHeld whether the id held the lock until this release: an attempt said so, or one went unanswered and may have
     *     been the one that ended it
     * @param why the last failure, if it was not answered; null otherwise
     */
    record End(boolean answered, boolean wasHeld, @Nullable Throwable why) {
        /** There was nothing to release. */
        static final End NOT_HELD = new End(true, false, null);
    }

    private final Engine engine;
    private final Step.Release step;
    private final Duration timeout;
    private final Duration patience;
    private final Consumer<End> to;
    private final Moment since;
    private final Backoff backoff;
    /** Written by the one attempt that is on its way, read by the next. */
    private volatile boolean anyUnanswered;

    /** @param patience for how long an unanswered release is repeated; zero for a single attempt */
    Releasing(Engine engine, Step.Release step, Duration timeout, Duration patience, Consumer<End> to) {
        this.engine = engine;
        this.step = step;
        this.timeout = timeout;
        this.patience = patience;
        this.to = to;
        this.since = engine.now();
        this.backoff = engine.newBackoff();
    }

    void start(Lane lane) {
        engine.beginReleasing();
        send(lane);
    }

    private void send(Lane lane) {
        engine.call(lane, step, timeout, this::onReply);
    }

    private void onReply(Reply reply) {
        if (reply.answer() instanceof Answer.Released released) {
            end(new End(true, released.wasHeld() || anyUnanswered, null));
            return;
        }
        Throwable why = reply.answer() instanceof Answer.Unavailable unavailable
                ? unavailable.why()
                : new IllegalStateException("the store answered a Release with " + reply.answer());
        anyUnanswered = true;
        if (engine.isClosed() || since.until(engine.now()).compareTo(patience) >= 0) {
            end(new End(false, false, why));
        } else {
            engine.after(backoff.silent(), () -> send(Lane.BACKGROUND));
        }
    }

    private void end(End end) {
        to.accept(end);
        engine.endReleasing();
    }
}
