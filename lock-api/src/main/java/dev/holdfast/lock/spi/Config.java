package dev.holdfast.lock.spi;

import dev.holdfast.lock.LockConfigurationException;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a provider, read by key. Each value has an origin, and an error about it names the key, the value (masked
 * if secret), the origin and what is allowed. Immutable and thread-safe.
 */
public interface Config {

    /**
     * The value that is set; empty if none is, whatever the default. Surrounding white space is not part of it.
     *
     * @throws LockConfigurationException if the key does not allow it
     */
    <T> Optional<T> find(ConfigKey<T> key);

    /**
     * The value that is set, else the key's default.
     *
     * @throws LockConfigurationException if the key does not allow the value, or is not set and has no default
     */
    default <T> T get(ConfigKey<T> key) {
        return find(key).or(key::defaultValue).orElseThrow(() -> invalid(key, "a value: it must be set"));
    }

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
    LockConfigurationException invalid(ConfigKey<?> key, String allowed);

    /**
     * As {@link #invalid(ConfigKey, String)}, for a value whose secrets only the caller can identify.
     *
     * @param shown the value without its secrets
     */
    default LockConfigurationException invalid(ConfigKey<?> key, String shown, String allowed) {
        return invalid(key, allowed);
    }

    /**
     * The key and where its value was set, such as {@code lock.mine.url (file lock.properties, line 2)}, without the value: for
     * an error that a value caused later, such as a wrong password. The key alone where a program gave the value.
     */
    default String withOrigin(ConfigKey<?> key) {
        return key.name();
    }
}
