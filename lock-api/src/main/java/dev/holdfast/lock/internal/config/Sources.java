package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.SettingNames;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings from a file, a resource or properties; system properties override these, and environment variables override
 * both.
 */
public final class Sources {

    /** The name of the file and of the class path resource. */
    public static final String FILE = "lock.properties";

    /** The origin of settings that a program assembled itself. */
    static final String GIVEN = "properties given";

    private static final String SYSTEM = "system property";

    private final Path workingDirectory;
    private final Map<String, String> environment;
    private final Properties system;

    /** A value before its placeholders are replaced, and where it was found. */
    private record Found(String value, String origin) {}

    /**
     * Sources to read from; {@link #ofThisProcess()} gives the real ones.
     *
     * @param workingDirectory where {@link #FILE} is looked for
     * @param environment the environment variables
     * @param system the system properties
     */
    public Sources(Path workingDirectory, Map<String, String> environment, Properties system) {
        this.workingDirectory = workingDirectory;
        this.environment = environment;
        this.system = system;
    }

    /** The sources of this process, as they are now. */
    public static Sources ofThisProcess() {
        return new Sources(Path.of(""), System.getenv(), System.getProperties());
    }

    /** The file in the working directory, else the class path resource, else the overrides alone. */
    public Settings byConvention(Keys keys) {
        if (isDamaged(system.getProperty("user.dir", ""))) {
            throw new LockConfigurationException(FILE + " cannot be looked for, as the working directory is not text in"
                    + " Java's locale: start Java in a UTF-8 locale, such as LC_ALL=C.UTF-8");
        }
        Path file = workingDirectory.resolve(FILE);
        // Also a file that cannot be read, or a dangling link: skipping it could select another store.
        if (!Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
            return file(file, keys);
        }
        URL resource = resource();
        if (resource != null) {
            return resource(resource, keys);
        }
        Settings settings = settings(Map.of(), keys);
        if (settings.text(EngineKeys.PROVIDER).isEmpty()) {
            throw new LockConfigurationException("no configuration: there is no " + file.toAbsolutePath() + ", no "
                    + FILE + " on the class path, no system property " + EngineKeys.PROVIDER
                    + " and no environment variable "
                    + Keys.inEnvironment(EngineKeys.PROVIDER.name())
                    + ". A silent local default would exclude no other process");
        }
        return settings;
    }

    /** This file, and what overrides it. */
    public Settings file(Path file, Keys keys) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new LockConfigurationException("cannot read the configuration file " + file + ": " + e, e);
        }
        return settings(found(bytes, "file " + file), keys);
    }

    /** This resource, and what overrides it. */
    Settings resource(URL resource, Keys keys) {
        byte[] bytes;
        try (InputStream stream = resource.openStream()) {
            bytes = stream.readAllBytes();
        } catch (IOException e) {
            throw new LockConfigurationException(
                    "cannot read the configuration on the class path " + resource + ": " + e, e);
        }
        return settings(found(bytes, "class path " + resource), keys);
    }

    /** These properties as they are: nothing overrides them, and no placeholder is replaced. */
    public static Settings resolved(Properties properties, SettingNames names, Keys keys) {
        Map<String, Setting> settings = new TreeMap<>();
        Map<String, Found> found = found(properties, GIVEN);
        Optional<String> provider = Optional.ofNullable(properties.getProperty(EngineKeys.PROVIDER.name()));
        found.forEach((key, each) -> {
            String origin = names.origin(key);
            requireKnown(key, names.name(key), origin, provider, keys);
            put(settings, keys, key, names.name(key), new Found(each.value(), origin));
        });
        return new Settings(settings, names);
    }

    /** These properties, and what overrides them. */
    public Settings settings(Properties properties, String origin, Keys keys) {
        return settings(found(properties, origin), keys);
    }

    private Settings settings(Map<String, Found> ofFile, Keys keys) {
        Placeholders placeholders = new Placeholders(environment);
        Map<String, Found> found = new TreeMap<>(ofFile);
        for (String key : system.stringPropertyNames()) {
            if (keys.knows(key) || (key.startsWith("lock.") && keys.meant(key).isPresent())) {
                found.put(key, new Found(system.getProperty(key), SYSTEM));
            }
        }
        Map<String, Setting> settings = new TreeMap<>();
        Optional<String> provider = provider(found);
        found.forEach((key, each) -> {
            requireKnown(key, key, each.origin(), provider, keys);
            Placeholders.Text expanded = placeholders.expand(key, each.value(), each.origin());
            put(settings, keys, key, key, new Found(expanded.value(), expanded.origin()));
        });
        Variables variables = new Variables(keys.known());
        for (String variable : environment.keySet()) {
            variables
                    .complaint(variable, String.valueOf(environment.get(variable)))
                    .ifPresent(complaint -> {
                        provider.ifPresent(keys::requireProvider);
                        throw new LockConfigurationException(complaint);
                    });
        }
        for (String key : keys.known()) {
            String variable = Keys.inEnvironment(key);
            Optional.ofNullable(environment.get(variable))
                    .ifPresent(value -> put(settings, keys, key, key, new Found(value, "environment " + variable)));
        }
        return new Settings(settings, OwnNames.OF_GIVEN);
    }

    /** The named provider, before the rest is checked. */
    private Optional<String> provider(Map<String, Found> found) {
        return Optional.ofNullable(environment.get(Keys.inEnvironment(EngineKeys.PROVIDER.name())))
                .or(() -> Optional.ofNullable(found.get(EngineKeys.PROVIDER.name()))
                        .map(Found::value))
                .map(String::strip);
    }

    private static Map<String, Found> found(byte[] bytes, String origin) {
        Map<String, Found> found = new TreeMap<>();
        PropertiesText.read(bytes, origin)
                .forEach((key, entry) -> found.put(key, new Found(entry.value(), origin + ", line " + entry.line())));
        return found;
    }

    private static Map<String, Found> found(Properties properties, String origin) {
        for (Object key : properties.keySet()) {
            if (!(key instanceof String name) || properties.getProperty(name) == null) {
                throw new LockConfigurationException("the properties must hold strings only; " + key + " does not");
            }
        }
        Map<String, Found> found = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            found.put(key, new Found(properties.getProperty(key), origin));
        }
        return found;
    }

    /** Does not show the value: an unknown setting may be a secret. A missing provider is reported before an unknown key. */
    private static void requireKnown(String key, String name, String origin, Optional<String> provider, Keys keys) {
        if (!keys.knows(key)) {
            provider.ifPresent(keys::requireProvider);
            throw new LockConfigurationException("unknown key " + name + " (" + origin + "); " + keys.advice(key));
        }
    }

    private static void put(Map<String, Setting> settings, Keys keys, String key, String name, Found found) {
        String value = found.value();
        if (value.isBlank()) {
            throw new LockConfigurationException(
                    name + " is empty (" + found.origin() + "); set a value, or remove the key");
        }
        if (isDamaged(value)) {
            throw new LockConfigurationException(name + " (" + found.origin()
                    + ") contains U+FFFD, which Java puts in place of what is"
                    + " not text in its locale; expected text: start Java in a UTF-8 locale, such as LC_ALL=C.UTF-8");
        }
        settings.put(key, new Setting(name, value.strip(), found.origin(), keys.isSecret(key)));
    }

    /** Whether Java has lost a part of a text from the system: it puts U+FFFD in place of bytes that are not text in its locale. */
    private static boolean isDamaged(String text) {
        return text.indexOf('\uFFFD') >= 0;
    }

    private static @Nullable URL resource() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        URL resource = context == null ? null : context.getResource(FILE);
        return resource != null ? resource : Sources.class.getResource("/" + FILE);
    }
}
