package dev.holdfast.lock.internal;

import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.function.Consumer;

/** How steps get to the store and its answers back. */
@FunctionalInterface
public interface StoreCalls {

    /** Which thread carries a step out. */
    enum Lane {
        /** The thread that asks, if it would wait for the answer anyway. */
        CALLER,
        /** A thread for whatever nobody waits for right now: repetitions, withdrawals. */
        BACKGROUND,
        /** A thread for renewals alone, so that nothing holds them up. */
        RENEWAL
    }

    /**
     * Has the step carried out.
     *
     * @param timeout how long the store may take
     * @param to gets the reply, exactly once, on any thread, possibly before this method returns
     */
    void call(Lane lane, Step step, Duration timeout, Consumer<Reply> to);
}
