package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.environment.LockProviders;
import dev.holdfast.lock.spi.support.Misspelling;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The keys that are known: the engine's own and those of the providers that were found. */
public final class Keys {

    /** At most two typing errors: beyond that, it is a different word. */
    private static final int TYPO = 2;

    private final TreeMap<String, ConfigKey<?>> known = new TreeMap<>();
    private final Consumer<String> requireProvider;

    /** @param ofProviders the keys of the providers that were found */
    public Keys(Collection<? extends ConfigKey<?>> ofProviders) {
        this(ofProviders, name -> {});
    }

    private Keys(Collection<? extends ConfigKey<?>> ofProviders, Consumer<String> requireProvider) {
        this.requireProvider = requireProvider;
        EngineKeys.ALL.forEach(key -> known.put(key.name(), key));
        ofProviders.forEach(key -> known.merge(key.name(), key, (one, other) -> one.isSecret() ? one : other));
    }

    /** The keys of the providers found, one of which must be the store's. */
    static Keys of(LockProviders providers) {
        return new Keys(providers.keys(), name -> providers.named(EngineKeys.PROVIDER.name(), name));
    }

    /** @throws LockConfigurationException if no provider has this name, which is why its keys are unknown */
    void requireProvider(String name) {
        requireProvider.accept(name);
    }

    Set<String> known() {
        return known.keySet();
    }

    boolean knows(String key) {
        return known.containsKey(key);
    }

    /** Whether the value of this known key is secret: if any provider says so. */
    boolean isSecret(String key) {
        return Optional.ofNullable(known.get(key)).filter(ConfigKey::isSecret).isPresent();
    }

    /** Advice about an unknown key. */
    String advice(String key) {
        String beginning = key.substring(0, key.lastIndexOf('.') + 1);
        Optional<String> missing = known.keySet().stream().anyMatch(each -> each.startsWith(beginning))
                ? Optional.empty()
                : LockProviders.artifactOf(beginning);
        return missing.map(artifact -> "it is a key of " + artifact + ", which is not on the class path: add that, or"
                        + " remove the key")
                .orElseGet(() -> "did you mean " + nearest(key) + "? Known with the providers found: "
                        + String.join(", ", known.keySet()));
    }

    /** The known key with the smallest edit distance. */
    private String nearest(String key) {
        return Collections.min(
                known.keySet(), Comparator.comparingInt(candidate -> Misspelling.distance(key, candidate)));
    }

    /** The known key that was probably meant. */
    Optional<String> meant(String key) {
        String nearest = nearest(key);
        return Misspelling.distance(key, nearest) <= TYPO ? Optional.of(nearest) : Optional.empty();
    }

    /** {@code lock.jdbc.pool-size} is {@code LOCK_JDBC_POOL_SIZE} in the environment. */
    static String inEnvironment(String key) {
        return key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
