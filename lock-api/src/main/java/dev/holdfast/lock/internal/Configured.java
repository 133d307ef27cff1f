package dev.holdfast.lock.internal;

import dev.holdfast.lock.internal.config.Keys;
import dev.holdfast.lock.internal.config.Settings;
import dev.holdfast.lock.internal.config.Sources;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import java.nio.file.Path;
import java.util.Properties;

/**
 * A configuration as it was read, and the provider that it chooses.
 *
 * @param settings what holds
 * @param provider the one that was found under the name that they say
 */
public record Configured(Settings settings, LockProvider provider) {

    /** What stands for the provider's name where the caller made the store. */
    public static final String CUSTOM = "custom";

    /** As {@link dev.holdfast.lock.Locks#open()} reads it. */
    public static Configured byConvention() {
        Providers providers = Providers.find();
        return of(providers, Sources.ofThisProcess().byConvention(providers.keys()));
    }

    /** As {@link dev.holdfast.lock.Locks#open(Path)} reads it. */
    public static Configured file(Path file) {
        Providers providers = Providers.find();
        return of(providers, Sources.ofThisProcess().file(file, providers.keys()));
    }

    /** As {@link dev.holdfast.lock.Locks#open(Properties)} reads it. */
    public static Configured properties(Properties properties) {
        Providers providers = Providers.find();
        return of(providers, given(properties, providers));
    }

    /** For a store that somebody else made: no provider is chosen. */
    public static Settings settings(Properties properties) {
        return given(properties, Providers.find());
    }

    private static Settings given(Properties properties, Providers providers) {
        return Sources.ofThisProcess().settings(properties, "properties given", providers.keys());
    }

    private static Configured of(Providers providers, Settings settings) {
        return new Configured(settings, providers.named(Keys.PROVIDER, settings.provider()));
    }

    /** Opens the store. */
    public LockStore openStore() {
        return provider.open(settings.namespace(), settings);
    }

    /** Opens the store to look into it, and makes nothing. */
    public LockStore openExistingStore() {
        return provider.openExisting(settings.namespace(), settings);
    }
}
