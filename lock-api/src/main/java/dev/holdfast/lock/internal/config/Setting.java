package dev.holdfast.lock.internal.config;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One value and where it was found.
 *
 * @param key such as {@code lock.lease}
 * @param value stripped of surrounding white space
 * @param origin for people, such as {@code file /etc/holdfast/lock.properties}
 */
record Setting(String key, String value, String origin) {

    private static final Pattern SECRET_IN_URL = Pattern.compile("(?i)(password=)[^&;]*|(//[^/@:]*:)[^/@]*(?=@)");

    /** Key, value and origin; a secret is masked. */
    @Override
    public String toString() {
        String lower = key.toLowerCase(Locale.ROOT);
        String shown = lower.endsWith("password") || lower.endsWith("secret")
                ? "****"
                : SECRET_IN_URL.matcher(value).replaceAll("$1$2****");
        return key + "=" + shown + " (" + origin + ")";
    }
}
