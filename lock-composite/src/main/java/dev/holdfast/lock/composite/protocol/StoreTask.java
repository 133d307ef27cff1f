package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.PrimaryStore;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A call to a store that the protocol requires of this process. The protocol describes it; the driver carries it out.
 *
 * @param <T> the result of the store
 * @param description for logs
 * @param call blocking; carried out by the driver, outside of the member
 * @param completion takes the outcome; called exactly once, inside of the member
 */
public record StoreTask<T>(String description, Call<T> call, Completion<T> completion) {

    /** The store that a task calls. For each store one task is in progress at a time. */
    public enum Target {
        /** The store that keeps the authority state. */
        AUTHORITY,
        /** The store that grants on its behalf. */
        PRIMARY
    }

    /** The call to a store. */
    @FunctionalInterface
    public interface Call<T> {
        /** @throws RuntimeException if the outcome is unknown */
        T execute(PrimaryStore primary, AuthorityStore authority, Duration timeout);
    }

    /** Takes the outcome into the state of the member. */
    @FunctionalInterface
    public interface Completion<T> {
        /**
         * Takes the outcome.
         *
         * @param result null if the call failed
         * @param failure null if the call returned
         * @param sent the instant before the call
         */
        void complete(
                @Nullable T result, @Nullable RuntimeException failure, DualClockInstant sent, DualClockInstant now);
    }
}
