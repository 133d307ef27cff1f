package dev.holdfast.lock.internal;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.util.Properties;

/** From a configuration to locks: opens the store that it chooses, and an engine on it. */
public final class Opening {

    private Opening() {}

    /** As {@link Locks#open()}. */
    public static Locks byConvention() {
        return open(Configured.byConvention());
    }

    /** As {@link Locks#open(Path)}. */
    public static Locks file(Path file) {
        return open(Configured.file(file));
    }

    /** As {@link Locks#open(Properties)}. */
    public static Locks properties(Properties properties) {
        return open(Configured.properties(properties));
    }

    /** As {@link Locks#open(LockStore, Properties)}. */
    public static Locks store(LockStore store, Properties properties) {
        return new EngineLocks(Configured.CUSTOM, store, Configured.settings(properties), () -> {});
    }

    /** The same on another time than that of this process: for tests of what time brings about. */
    public static Locks store(LockStore store, Properties properties, Clock clock, Timers timers) {
        return new EngineLocks(
                Configured.CUSTOM, store, Configured.settings(properties), () -> {}, new Threads(), clock, timers);
    }

    /** The store that these properties describe, without an engine: for the kit, which asks it directly. */
    public static LockStore bareStore(Properties properties) {
        return Configured.properties(properties).openStore();
    }

    private static Locks open(Configured configured) {
        LockStore store = configured.openStore();
        try {
            return new EngineLocks(configured.provider().name(), store, configured.settings(), store::close);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
