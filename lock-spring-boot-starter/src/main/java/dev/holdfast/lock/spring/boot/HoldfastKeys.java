package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockProvider;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** The keys of the engine and of the stores on the class path, and their values in an application's environment. */
final class HoldfastKeys {

    private static final Set<String> OF_ENGINE =
            EngineKeys.ALL.stream().map(ConfigKey::name).collect(Collectors.toUnmodifiableSet());

    private HoldfastKeys() {}

    /** Whether the engine reads it. */
    static boolean isOfEngine(String key) {
        return OF_ENGINE.contains(key);
    }

    /** Those of the engine and of these stores, by name, in order. */
    static Map<String, ConfigKey<?>> with(Collection<LockProvider> stores) {
        Map<String, ConfigKey<?>> keys = new TreeMap<>();
        EngineKeys.ALL.forEach(key -> keys.put(key.name(), key));
        stores.forEach(store -> store.keys().forEach(key -> keys.put(key.name(), key)));
        return keys;
    }

    /** What is set of these keys, as text, by the relaxed names of Spring. */
    static Map<String, String> values(Environment environment, Collection<? extends ConfigKey<?>> keys) {
        Map<String, String> values = new LinkedHashMap<>();
        for (ConfigKey<?> key : keys) {
            String value = value(environment, SpringNames.property(key.name()), typeInSpring(key.type()));
            if (!value.isBlank()) {
                values.put(key.name(), value);
            }
        }
        return values;
    }

    /** Whether this property has a value; a placeholder with an empty default is none. */
    static boolean isSet(Environment environment, ConfigurationPropertyName property) {
        return !value(environment, property, String.class).isBlank();
    }

    private static String value(Environment environment, ConfigurationPropertyName property, Class<?> type) {
        return Binder.get(environment)
                .bind(property, Bindable.of(type))
                .map(String::valueOf)
                .orElse("");
    }

    /**
     * A number without a unit is a duration of milliseconds in Spring, and there are more words for true and false. All else is text
     * there, so that Holdfast reports what is wrong with it.
     */
    private static Class<?> typeInSpring(Class<?> type) {
        return type == Duration.class || type == Boolean.class ? type : String.class;
    }
}
