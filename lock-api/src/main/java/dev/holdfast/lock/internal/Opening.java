package dev.holdfast.lock.internal;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.util.Properties;

/** From a configuration to locks: finds the providers, reads the settings, opens the store that they choose. */
public final class Opening {

    private Opening() {}

    /** As {@link Locks#open()}. */
    public static Locks byConvention() {
        Providers providers = Providers.find();
        return open(providers, Sources.ofThisProcess().byConvention(providers.keys()));
    }

    /** As {@link Locks#open(Path)}. */
    public static Locks file(Path file) {
        Providers providers = Providers.find();
        return open(providers, Sources.ofThisProcess().file(file, providers.keys()));
    }

    /** As {@link Locks#open(Properties)}. */
    public static Locks properties(Properties properties) {
        Providers providers = Providers.find();
        return open(providers, given(properties, providers));
    }

    /** As {@link Locks#open(LockStore, Properties)}. */
    public static Locks store(LockStore store, Properties properties) {
        return new EngineLocks("custom", store, given(properties, Providers.find()), () -> {});
    }

    /** The store that these properties describe, without an engine: for the kit, which asks it directly. */
    public static LockStore bareStore(Properties properties) {
        Providers providers = Providers.find();
        Settings settings = given(properties, providers);
        return providers.named(settings.provider()).open(settings.namespace(), settings);
    }

    private static Settings given(Properties properties, Providers providers) {
        return Sources.ofThisProcess().settings(properties, "properties given", providers.keys());
    }

    private static Locks open(Providers providers, Settings settings) {
        LockProvider provider = providers.named(settings.provider());
        LockStore store = provider.open(settings.namespace(), settings);
        try {
            return new EngineLocks(provider.name(), store, settings, store::close);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }
}
