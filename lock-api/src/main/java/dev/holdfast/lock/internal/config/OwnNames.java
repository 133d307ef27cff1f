package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.spi.SettingNames;

/**
 * Settings under the names of their keys.
 *
 * @param origin of all of them
 */
record OwnNames(String origin) implements SettingNames {

    /** For settings that a program assembled itself. */
    static final OwnNames OF_GIVEN = new OwnNames(Sources.GIVEN);

    @Override
    public String name(String key) {
        return key;
    }

    @Override
    public String origin(String key) {
        return origin;
    }
}
