package dev.holdfast.lock.internal;

import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Since when a store does not answer a line, and why. Touched under the line's lock only. */
final class Silence {

    private final Engine engine;
    /** When the first attempt was begun that has not been answered since; null if the latest one was. */
    private @Nullable Moment since;

    private @Nullable Throwable because;

    Silence(Engine engine) {
        this.engine = engine;
    }

    /** The store has said something. */
    void end() {
        since = null;
        because = null;
    }

    /** Nothing of use came of an attempt that was begun then. */
    void goOn(Moment attemptedAt, @Nullable Throwable why) {
        since = since == null ? attemptedAt : since;
        because = why;
    }

    boolean lasts() {
        return since != null;
    }

    /** Whether it has lasted for as long as this waiter bears it. */
    boolean isTooLongFor(Waiter waiter) {
        return lasts() && towards(waiter).compareTo(waiter.patience().silence()) >= 0;
    }

    private Duration towards(Waiter waiter) {
        Duration waited = waiter.waited();
        Duration silent = since == null ? waited : since.until(engine.now());
        return silent.compareTo(waited) < 0 ? silent : waited;
    }

    /** What a waiter is told of it. */
    Outcome outcome(Waiter waiter, LockName name) {
        String why = because == null ? "" : ": " + because;
        return new Outcome.Unavailable(
                "the store did not answer for " + towards(waiter).toMillis() + " ms when asked for '" + name + "'"
                        + why,
                because);
    }
}
