package dev.holdfast.lock.spi;

/**
 * A framework's names for the settings that it has resolved, and where it found them, for messages about them. Called on the
 * threads that open locks, and on those that ask for the settings in effect.
 */
public interface SettingNames {

    /** The name under which the application sets a key, such as {@code holdfast.lease} for {@code lock.lease}. */
    String name(String key);

    /**
     * Where the value of a key was found, for people, such as {@code application.properties, line 3}. Asked for keys that have a
     * value.
     */
    String origin(String key);
}
