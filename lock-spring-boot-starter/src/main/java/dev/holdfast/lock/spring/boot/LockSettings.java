package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.SettingNames;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * The settings of the application's locks by Holdfast's keys, with everything that Spring resolves. Errors about them use the
 * application's words: its property, and the place where that is set.
 */
final class LockSettings implements SettingNames {

    /** The property that names the application, and so the namespace of its locks. */
    static final String APPLICATION_NAME = "spring.application.name";

    /** The certificates of the connections to Redis. */
    static final String SSL_BUNDLE = "lock.redis.ssl-bundle";

    private final Properties properties = new Properties();
    private @Nullable SslBundle sslBundle;
    private final Map<String, String> origins = new HashMap<>();
    private final SpringNames names;

    LockSettings(SpringNames names) {
        this.names = names;
    }

    void put(String key, String value) {
        properties.setProperty(key, value);
    }

    /** Adds a value for a key that the application has not set for Holdfast. */
    void putIfAbsent(String key, String value, String origin) {
        if (!has(key)) {
            put(key, value);
            origins.put(key, origin);
        }
    }

    /** Sets the certificates for the connections to Redis. */
    void putSslBundle(SslBundle bundle, String name) {
        sslBundle = bundle;
        put(SSL_BUNDLE, name);
    }

    /** Opens the locks, while the certificates of these settings are registered. */
    Locks open() {
        return inWordsOfSpring(() -> sslBundle == null
                ? Locks.openResolved(properties(), this)
                : RedisBundle.opened(sslBundle, properties(), settings -> Locks.openResolved(settings, this)));
    }

    /** Opens the locks on this store. */
    Locks open(LockStore store) {
        return inWordsOfSpring(() -> Locks.openResolved(store, properties(), this));
    }

    @Override
    public String name(String key) {
        return SpringNames.of(key);
    }

    @Override
    public String origin(String key) {
        String other = origins.get(key);
        return other != null ? "taken from " + other : names.origin(key).orElse("properties of the application");
    }

    /** Name, value and origin of a setting that is not secret. */
    String shown(String key) {
        return name(key) + "=" + get(key, "") + " (" + origin(key) + ")";
    }

    boolean has(String key) {
        return properties.containsKey(key);
    }

    String get(String key, String defaultValue) {
        return properties.getProperty(key, defaultValue);
    }

    Set<String> keys() {
        return properties.stringPropertyNames();
    }

    /** A copy. */
    Properties properties() {
        Properties copy = new Properties();
        copy.putAll(properties);
        return copy;
    }

    /** Runs the action and rewrites its errors in Spring's property names. */
    static <T> T inWordsOfSpring(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (LockConfigurationException e) {
            throw new LockConfigurationException(SpringNames.inWords(String.valueOf(e.getMessage())), e);
        } catch (LockUnavailableException e) {
            throw new LockUnavailableException(SpringNames.inWords(String.valueOf(e.getMessage())), e);
        }
    }
}
