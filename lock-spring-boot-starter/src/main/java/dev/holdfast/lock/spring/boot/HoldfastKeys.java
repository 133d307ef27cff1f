package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** The keys of Holdfast and its stores, on the class path or not, and their values in an application's environment. */
final class HoldfastKeys {

    /** Those that Spring reads as a duration: a number without a unit is one of milliseconds there. */
    private static final Set<String> DURATIONS = Set.of(
            "lock.lease",
            "lock.acquire-timeout",
            "lock.call-timeout",
            "lock.jdbc.max-lifetime",
            "lock.redis.timeout",
            "lock.composite.authority-lease");

    /** Those that Spring reads as a switch, which has more words for true and false there. */
    private static final Set<String> SWITCHES = Set.of("lock.jdbc.migrate");

    private static final Set<String> TEXTS = Set.of(
            "lock.provider",
            "lock.namespace",
            "lock.max-local-handoffs",
            "lock.application",
            "lock.token-floor",
            "lock.jdbc.url",
            "lock.jdbc.username",
            "lock.jdbc.password",
            "lock.jdbc.pool-size",
            "lock.redis.uri",
            "lock.redis.username",
            "lock.redis.password",
            "lock.redis.sentinel-username",
            "lock.redis.sentinel-password",
            "lock.redis.trust-store",
            "lock.redis.trust-store-password",
            "lock.redis.ssl-bundle",
            "lock.redis.pool-size",
            "lock.composite.primary",
            "lock.composite.fallback");

    private HoldfastKeys() {}

    /** All, in order. */
    static Set<String> all() {
        Set<String> all = new TreeSet<>(DURATIONS);
        all.addAll(SWITCHES);
        all.addAll(TEXTS);
        return all;
    }

    /** Those of the engine. */
    static Set<String> ofEngine() {
        Set<String> ofEngine = all();
        ofEngine.removeIf(key -> key.indexOf('.') != key.lastIndexOf('.'));
        return ofEngine;
    }

    /**
     * What is set of these keys, as text, by the relaxed names of Spring; a blank value is one that is not set, as of a placeholder
     * with an empty default.
     *
     * @param keys of Holdfast, or of a provider that this class does not know
     */
    static Map<String, String> values(Environment environment, Collection<String> keys) {
        Binder binder = Binder.get(environment);
        Map<String, String> values = new LinkedHashMap<>();
        for (String key : keys) {
            String value = binder.bind(
                            ConfigurationPropertyName.adapt(SpringNames.of(key), '.'), Bindable.of(type(key)))
                    .map(String::valueOf)
                    .orElse("");
            if (!value.isBlank()) {
                values.put(key, value);
            }
        }
        return values;
    }

    private static Class<?> type(String key) {
        if (DURATIONS.contains(key)) {
            return Duration.class;
        }
        return SWITCHES.contains(key) ? Boolean.class : String.class;
    }
}
