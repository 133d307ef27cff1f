package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockConfigurationException;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a provider, read by key. Each value has an origin, and an error about it names the key, the value (masked
 * if secret), the origin and what is allowed. Immutable and thread-safe.
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
     * @throws LockConfigurationException if the value is not a duration, or less than {@code least}
     */
    Optional<Duration> duration(String key, Duration least);

    /**
     * A whole number.
     *
     * @param defaultValue the value if the key is not set
     * @throws LockConfigurationException if the value is not a whole number within these bounds
     */
    int integer(String key, int defaultValue, int least, int greatest);

    /**
     * {@code true} or {@code false}.
     *
     * @param defaultValue the value if the key is not set
     * @throws LockConfigurationException if the value is neither
     */
    boolean flag(String key, boolean defaultValue);

    /** The length of a lease: {@code lock.lease}. */
    Duration lease();

    /** The time that one call to the store may take: {@code lock.call-timeout}, or the default derived from {@code lock.lease}. */
    Duration callTimeout();

    /**
     * The time that one call on behalf of a lease of this length may take: never more than a third of it, so that a renewal can be
     * repeated.
     *
     * @param lease positive
     */
    Duration callTimeout(Duration lease);

    /**
     * An exception about the value of a key, for the caller to throw.
     *
     * @param allowed the values that are allowed
     */
    LockConfigurationException invalid(String key, String allowed);

    /**
     * As {@link #invalid(String, String)}, for a value whose secrets only the caller can identify.
     *
     * @param shown the value without its secrets
     */
    default LockConfigurationException invalid(String key, String shown, String allowed) {
        return invalid(key, allowed);
    }

    /**
     * The key and where its value was set, such as {@code lock.mine.url (file lock.properties, line 2)}, without the value: for
     * an error that a value caused later, such as a wrong password. The key alone where a program gave the value.
     */
    default String withOrigin(String key) {
        return key;
    }
}
