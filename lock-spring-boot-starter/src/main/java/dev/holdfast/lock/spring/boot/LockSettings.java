package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * The settings of the application's locks by Holdfast's keys, after everything that Spring resolves. Errors about them are put
 * into the application's words: its property, and the place where that is set.
 */
final class LockSettings {

    /** Names the application, and so the namespace of its locks. */
    static final String APPLICATION_NAME = "spring.application.name";

    /** The certificates of the connections to Redis. */
    static final String SSL_BUNDLE = "lock.redis.ssl-bundle";

    private static final String GIVEN = "properties given";
    /** Keys of which only the first is written out. */
    private static final Pattern ABBREVIATED =
            Pattern.compile("(lock\\.\\w+\\.)([\\w-]+), \\.([\\w-]+) and \\.([\\w-]+)");

    private final Properties properties = new Properties();
    private @Nullable SslBundle sslBundle;
    private final Map<String, String> origins = new HashMap<>();
    private final SpringNames names;
    private final Pattern anyKey;

    /** @param known every key of Holdfast that is known */
    LockSettings(SpringNames names, Collection<String> known) {
        this.names = names;
        this.anyKey = Pattern.compile("(?<![\\w.-])("
                + known.stream()
                        .sorted(Comparator.comparingInt(String::length).reversed())
                        .map(Pattern::quote)
                        .collect(Collectors.joining("|"))
                + ")(?![\\w-])");
    }

    void put(String key, String value) {
        properties.setProperty(key, value);
    }

    /** Adds a value that the application has not set for Holdfast, unless it has. */
    void putIfAbsent(String key, String value, String origin) {
        if (!has(key)) {
            put(key, value);
            origins.put(key, origin);
        }
    }

    /** Certificates for the connections to Redis. */
    void putSslBundle(SslBundle bundle, String name) {
        sslBundle = bundle;
        put(SSL_BUNDLE, name);
    }

    /** Opens the locks with a copy of these settings, while what they say about certificates is registered. */
    Locks withSslBundle(Function<Properties, Locks> opening) {
        return sslBundle == null ? opening.apply(properties()) : RedisBundle.opened(sslBundle, properties(), opening);
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

    /** Does this; what it says about Holdfast's keys is said about the application's properties. */
    <T> T inWordsOfSpring(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (LockConfigurationException e) {
            String message = String.valueOf(e.getMessage());
            throw new LockConfigurationException(translate(message) + (message.contains(GIVEN) ? "" : addresses()), e);
        } catch (LockUnavailableException e) {
            throw new LockUnavailableException(translate(String.valueOf(e.getMessage())) + addresses(), e);
        }
    }

    /**
     * {@code lock.lease=5 (properties given)} becomes {@code holdfast.lease=5 (application.properties, line 3)}. A message that shows
     * no value, as that about a wrong password, ends with where the values are set.
     */
    private String translate(String message) {
        Set<String> named = new LinkedHashSet<>();
        Matcher keys = anyKey.matcher(ABBREVIATED.matcher(message).replaceAll("$1$2, $1$3 and $1$4"));
        StringBuilder translated = new StringBuilder();
        while (keys.find()) {
            named.add(keys.group());
            keys.appendReplacement(translated, Matcher.quoteReplacement(SpringNames.of(keys.group())));
        }
        keys.appendTail(translated);
        if (message.contains(GIVEN)) {
            String origin = named.stream().findFirst().map(this::origin).orElse("properties of the application");
            return translated.toString().replace(GIVEN, origin);
        }
        String set = named.stream()
                .filter(key -> has(key) && !origins.containsKey(key))
                .map(key -> SpringNames.of(key) + ": " + origin(key))
                .collect(Collectors.joining("; "));
        return set.isEmpty() ? translated.toString() : translated + " (" + set + ")";
    }

    private String origin(String key) {
        String other = origins.get(key);
        return other != null ? "taken from " + other : names.origin(key).orElse("not set");
    }

    private String addresses() {
        String taken = origins.values().stream()
                .filter(origin -> !origin.equals(APPLICATION_NAME))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" and "));
        return taken.isEmpty() ? "" : " (address and credentials are taken from " + taken + ")";
    }
}
