package dev.holdfast.lock.internal.config;

import java.util.regex.Pattern;

/**
 * One value and where it was found.
 *
 * @param key such as {@code lock.lease}
 * @param value stripped of surrounding white space
 * @param origin for people, such as {@code file /etc/holdfast/lock.properties}
 * @param secret whether the value is shown to nobody
 */
record Setting(String key, String value, String origin, boolean secret) {

    private static final String MASK = "****";
    private static final Pattern SECRET_IN_URL =
            Pattern.compile("(?i)([?&;][^=&;]*(?:pass|pwd|secret|token)[^=&;]*=)[^&;]*|(//[^/@:]*:)[^/@]*(?=@)");

    /** The value, without its secrets. */
    String shown() {
        return secret ? MASK : SECRET_IN_URL.matcher(value).replaceAll("$1$2" + MASK);
    }

    /** Key, value and origin, without secrets. */
    @Override
    public String toString() {
        return key + "=" + shown() + " (" + origin + ")";
    }
}
