package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.spi.support.Redactor;

/**
 * One value and where it was found.
 *
 * @param name for people, such as {@code lock.lease}
 * @param value stripped of surrounding white space
 * @param origin for people, such as {@code file /etc/holdfast/lock.properties}
 * @param secret whether the value must not be shown
 */
record Setting(String name, String value, String origin, boolean secret) {

    /** The value, without its secrets. */
    String shown() {
        return secret ? Redactor.MASK : Redactor.redactUrl(value);
    }

    /** Name, value and origin, without secrets. */
    @Override
    public String toString() {
        return shownAs(shown());
    }

    /** The same with a value that the caller has masked. */
    String shownAs(String masked) {
        return name + "=" + masked + " (" + origin + ")";
    }
}
