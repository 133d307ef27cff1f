package dev.holdfast.lock.admin;

/**
 * A setting in effect, and its origin.
 *
 * @param key such as {@code lock.lease}
 * @param value the value with its secrets masked, or the default in words
 * @param origin where the value was set, such as {@code environment LOCK_LEASE}; {@code default} if it was not set
 */
public record EffectiveSetting(String key, String value, String origin) {}
