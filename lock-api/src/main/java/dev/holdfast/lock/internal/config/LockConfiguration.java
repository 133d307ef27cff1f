package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.SettingNames;
import dev.holdfast.lock.spi.environment.LockProviders;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The settings of one {@code Locks} or {@code LockAdmin}, and the store that they choose or that the caller passed in. */
public final class LockConfiguration {

    /** The provider's name if the caller passed in the store, and did not say what it is. */
    private static final String CUSTOM = "custom";

    private final Settings settings;
    /** Null if the caller passed in the store. */
    private final @Nullable LockProvider provider;
    /** Null if the provider opens the store. */
    private final @Nullable LockStore callersStore;

    private final String name;

    private LockConfiguration(
            Settings settings, @Nullable LockProvider provider, @Nullable LockStore callersStore, String name) {
        this.settings = settings;
        this.provider = provider;
        this.callersStore = callersStore;
        this.name = name;
    }

    /** Reads {@code lock.properties} and what overrides it, as {@link dev.holdfast.lock.Locks#open()} does. */
    public static LockConfiguration load() {
        LockProviders providers = LockProviders.find();
        return choose(providers, Sources.ofThisProcess().byConvention(Keys.of(providers)));
    }

    /** Reads this file and what overrides it. */
    public static LockConfiguration load(Path file) {
        LockProviders providers = LockProviders.find();
        return choose(providers, Sources.ofThisProcess().file(file, Keys.of(providers)));
    }

    /** Takes these properties and what overrides them. */
    public static LockConfiguration of(Properties properties) {
        LockProviders providers = LockProviders.find();
        return choose(providers, given(properties, Keys.of(providers)));
    }

    /** Takes these properties and what overrides them, for a store that the caller opened and closes. */
    public static LockConfiguration of(LockStore callersStore, Properties properties) {
        return new LockConfiguration(
                given(properties, new Keys(LockProviders.find().keys())), null, callersStore, CUSTOM);
    }

    /** Takes these properties alone. */
    public static LockConfiguration resolved(Properties properties) {
        return resolved(properties, OwnNames.OF_GIVEN);
    }

    /** Takes these properties alone, which have these names. */
    public static LockConfiguration resolved(Properties properties, SettingNames names) {
        LockProviders providers = LockProviders.find();
        return choose(providers, Sources.resolved(properties, names, Keys.of(providers)));
    }

    /** Takes these properties alone, for a store that the caller opened and closes; the provider is its name, if given. */
    public static LockConfiguration resolved(LockStore callersStore, Properties properties) {
        return resolved(callersStore, properties, OwnNames.OF_GIVEN);
    }

    /** As {@link #resolved(LockStore, Properties)}, for properties that have these names. */
    public static LockConfiguration resolved(LockStore callersStore, Properties properties, SettingNames names) {
        Keys keys = new Keys(LockProviders.find().keys());
        String name = properties.getProperty(EngineKeys.PROVIDER.name(), CUSTOM);
        return new LockConfiguration(Sources.resolved(properties, names, keys), null, callersStore, name);
    }

    private static Settings given(Properties properties, Keys keys) {
        return Sources.ofThisProcess().settings(properties, Sources.GIVEN, keys);
    }

    private static LockConfiguration choose(LockProviders providers, Settings settings) {
        LockProvider provider = providers.named(settings.name(EngineKeys.PROVIDER.name()), settings.provider());
        return new LockConfiguration(settings, provider, null, provider.name());
    }

    /** The settings, after all overrides. */
    public Settings settings() {
        return settings;
    }

    /** The provider's name; {@code custom} for a caller's store without one. */
    public String provider() {
        return name;
    }

    /** The store, for people: {@code the redis store of namespace 'app'}. */
    public String storeName() {
        String store = "the " + name + " store";
        return provider == null
                ? store
                : store + " of namespace '" + settings.namespace().value() + "'";
    }

    /** Whether the caller passed in the store. */
    public boolean isCallersStore() {
        return provider == null;
    }

    /** Each setting with its origin, by key; for a caller's store without those that choose and open one. */
    public List<EffectiveSetting> effectiveSettings() {
        return provider == null ? settings.effectiveForCallersStore() : settings.effective(provider.keys());
    }

    /** Opens the store; returns the caller's if the caller passed one in. */
    public LockStore openStore() {
        return provider == null ? callersStore() : provider.open(settings.namespace(), settings);
    }

    /** Opens the store for reading: creates neither tables nor files. */
    public LockStore openExistingStore() {
        return provider == null ? callersStore() : provider.openExisting(settings.namespace(), settings);
    }

    /** Closes a store that this configuration opened; a caller's store stays open. */
    public void close(LockStore store) {
        if (store != callersStore) {
            store.close();
        }
    }

    private LockStore callersStore() {
        if (callersStore == null) {
            throw new AssertionError("neither a provider nor a store");
        }
        return callersStore;
    }
}
