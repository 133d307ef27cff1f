package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.PrimaryStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that this process has to ask of a store for the regime's sake.
 *
 * @param <T> what is answered
 * @param what it is, for people
 * @param question asks it; outside of the state, and blocking
 * @param conclusion takes the answer; called exactly once
 */
public record Duty<T>(String what, Question<T> question, Conclusion<T> conclusion) {

    /** How it is asked. */
    @FunctionalInterface
    public interface Question<T> {
        /** @throws RuntimeException if the outcome is unknown */
        T ask(PrimaryStore primary, AuthorityStore authority, Duration timeout);
    }

    /** What follows. */
    @FunctionalInterface
    public interface Conclusion<T> {
        /**
         * The answer, or why there is none.
         *
         * @param answer null if there is none
         * @param failure null if there is an answer
         * @param sent when it was asked
         */
        void draw(@Nullable T answer, @Nullable RuntimeException failure, Moment sent, Moment now);
    }
}
