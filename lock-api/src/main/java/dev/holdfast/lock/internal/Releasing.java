package dev.holdfast.lock.internal;

import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One release, repeated until the store answers or it has ceased to matter. Repeating is harmless: a release touches nothing
 * but its own id.
 */
final class Releasing {

    private static final Logger log = LoggerFactory.getLogger(Releasing.class);

    private final Engine engine;
    private final Step.Release step;
    private final Duration timeout;
    private final Duration patience;
    private final Consumer<Ended> to;
    private final Moment since;
    private final Backoff backoff;
    /** Written by the one attempt that is on its way, read by the next. */
    private volatile boolean anyUnanswered;

    private final AtomicBoolean over = new AtomicBoolean();

    /** @param patience for how long an unanswered release is repeated; zero for a single attempt */
    Releasing(Engine engine, Step.Release step, Duration timeout, Duration patience, Consumer<Ended> to) {
        this.engine = engine;
        this.step = step;
        this.timeout = timeout;
        this.patience = patience;
        this.to = to;
        this.since = engine.now();
        this.backoff = engine.newBackoff();
    }

    /** Of an id that nobody waits for: repeated for as long as its lease could last. */
    static Releasing inBackground(Engine engine, Step.Release step, Terms terms) {
        Duration patience = terms.length().plus(terms.callTimeout());
        return new Releasing(engine, step, terms.callTimeout(), patience, end -> {
            if (!end.answered()) {
                log.warn(
                        "'{}' is left to expire: its release was not answered: {}",
                        step.name(),
                        String.valueOf(end.why()));
            }
        });
    }

    void start(Lane lane, Effects effects) {
        engine.begin(this);
        effects.call(lane, step, timeout, this::onReply);
    }

    private void onReply(Reply reply) {
        if (reply.answer() instanceof Answer.Released released) {
            end(new Ended(true, released.wasHeld() || anyUnanswered, null));
            return;
        }
        Throwable why = ((Answer.Unavailable) reply.answer()).why();
        anyUnanswered = true;
        if (since.until(engine.now()).compareTo(patience) >= 0) {
            end(new Ended(false, false, why));
        } else {
            engine.after(backoff.silent(), this::repeat);
        }
    }

    private void repeat() {
        Effects effects = new Effects(engine);
        effects.call(Lane.BACKGROUND, step, timeout, this::onReply);
        effects.run();
    }

    /** Nobody is left who could repeat it. */
    void abandon() {
        end(new Ended(false, false, new IllegalStateException("these locks were closed meanwhile")));
    }

    private void end(Ended ended) {
        if (over.compareAndSet(false, true)) {
            try {
                to.accept(ended);
            } finally {
                engine.over(this);
            }
        }
    }
}
