package dev.holdfast.lock.admin;

/**
 * A setting that holds, and why.
 *
 * @param key such as {@code lock.lease}
 * @param value as it was set, without its secrets; or what holds because it was not, for people
 * @param origin where it was set, such as {@code environment LOCK_LEASE}; {@code default} if it was not
 */
public record EffectiveSetting(String key, String value, String origin) {}
