package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockConfigurationException;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings, read by key. Each value knows its origin, and an error about it names key, value (masked if it is secret),
 * origin and what is allowed. Immutable and thread-safe.
 */
public interface Config {

    /** The value; empty if it is not set. Surrounding white space is not part of it. */
    Optional<String> text(String key);

    /**
     * The value of a key that must be set.
     *
     * @throws LockConfigurationException if it is not
     */
    default String required(String key) {
        return text(key).orElseThrow(() -> invalid(key, "a value: it must be set"));
    }

    /**
     * A duration such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d} or, by ISO-8601, {@code PT30S}.
     *
     * @throws LockConfigurationException if it is set to something else, or to less than {@code least}
     */
    Optional<Duration> duration(String key, Duration least);

    /**
     * A whole number.
     *
     * @param otherwise what it is if it is not set
     * @throws LockConfigurationException if it is set to something else, or out of these bounds
     */
    int integer(String key, int otherwise, int least, int most);

    /**
     * {@code true} or {@code false}.
     *
     * @param otherwise what it is if it is not set
     * @throws LockConfigurationException if it is set to something else
     */
    boolean flag(String key, boolean otherwise);

    /** How long a lease lasts unless renewed: {@code lock.lease}. */
    Duration lease();

    /** How long one call to the store may take: {@code lock.call-timeout}, or what follows from {@code lock.lease}. */
    Duration callTimeout();

    /**
     * An error about a key, to be thrown.
     *
     * @param allowed what would be right
     */
    LockConfigurationException invalid(String key, String allowed);
}
