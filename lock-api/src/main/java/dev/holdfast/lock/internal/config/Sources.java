package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads settings from a file, a resource or properties; system properties override these, and environment variables override
 * both.
 */
public final class Sources {

    /** The name of the file and of the class path resource. */
    public static final String FILE = "lock.properties";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}]*)}");

    private final Path workingDirectory;
    private final Map<String, String> environment;
    private final Properties system;

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

    /** Of this process, as they are now. */
    public static Sources ofThisProcess() {
        return new Sources(Path.of(""), System.getenv(), System.getProperties());
    }

    /** The file in the working directory, else the class path resource, else nothing but what overrides. */
    public Settings byConvention(Keys keys) {
        if (isDamaged(system.getProperty("user.dir", ""))) {
            throw new LockConfigurationException(FILE + " cannot be looked for, as the working directory is not text in"
                    + " Java's locale: start Java in a locale of UTF-8, such as LC_ALL=C.UTF-8");
        }
        Path file = workingDirectory.resolve(FILE);
        // Also a file that cannot be read, or a dangling link: skipping it could select another store.
        if (!Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
            return file(file, keys);
        }
        URL resource = resource();
        if (resource != null) {
            return settings(load(resource), "class path " + resource, keys);
        }
        Settings settings = settings(new Properties(), "nowhere", keys);
        if (settings.text(Keys.PROVIDER).isEmpty()) {
            throw new LockConfigurationException("no configuration: there is no " + file.toAbsolutePath() + ", no "
                    + FILE + " on the class path, no system property " + Keys.PROVIDER + " and no environment variable "
                    + Keys.inEnvironment(Keys.PROVIDER) + ". A silent local default would exclude no other process");
        }
        return settings;
    }

    /** This file, and what overrides it. */
    public Settings file(Path file, Keys keys) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new LockConfigurationException("cannot read the configuration file " + file + ": " + e, e);
        }
        return settings(properties, "file " + file, keys);
    }

    /** These properties as they are: nothing overrides them, and no placeholder is replaced. */
    public static Settings resolved(Properties properties, String origin, Keys keys) {
        return new Settings(read(properties, origin, keys, properties::getProperty));
    }

    /** These properties, and what overrides them. */
    public Settings settings(Properties properties, String origin, Keys keys) {
        Map<String, Setting> found =
                read(properties, origin, keys, key -> expand(key, properties.getProperty(key), origin));
        for (String key : system.stringPropertyNames()) {
            String override = "system property";
            if (keys.knows(key)) {
                put(found, keys, key, expand(key, system.getProperty(key), override), override);
            } else if (key.startsWith("lock.") && keys.meant(key).isPresent()) {
                throw unknown(key, override, keys);
            }
        }
        for (String key : keys.known()) {
            String variable = Keys.inEnvironment(key);
            Optional.ofNullable(environment.get(variable))
                    .ifPresent(value -> put(found, keys, key, value, "environment " + variable));
        }
        return new Settings(found);
    }

    private static Map<String, Setting> read(
            Properties properties, String origin, Keys keys, UnaryOperator<String> values) {
        for (Object key : properties.keySet()) {
            if (!(key instanceof String name) || properties.getProperty(name) == null) {
                throw new LockConfigurationException("the properties must hold strings only; " + key + " does not");
            }
        }
        Map<String, Setting> found = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            if (!keys.knows(key)) {
                throw unknown(key, origin, keys);
            }
            put(found, keys, key, values.apply(key), origin);
        }
        return found;
    }

    private static void put(Map<String, Setting> found, Keys keys, String key, String value, String origin) {
        if (value.isBlank()) {
            throw new LockConfigurationException(
                    key + " is empty (" + origin + "); allowed is a value, or to leave it out");
        }
        if (isDamaged(value)) {
            throw new LockConfigurationException(
                    key + " (" + origin + ") contains U+FFFD, which Java puts in place of what is"
                            + " not text in its locale; allowed is text: start Java in a locale of UTF-8, such as LC_ALL=C.UTF-8");
        }
        found.put(key, new Setting(key, value.strip(), origin, keys.isSecret(key)));
    }

    /** Whether Java has lost a part of a text from the system: it puts U+FFFD in place of bytes that are none of its locale. */
    private static boolean isDamaged(String text) {
        return text.indexOf('\uFFFD') >= 0;
    }

    /** Without the value: an unknown setting may be a secret. */
    private static LockConfigurationException unknown(String key, String origin, Keys keys) {
        return new LockConfigurationException("unknown key " + key + " (" + origin + "); did you mean "
                + keys.nearest(key) + "? Known with the providers found: " + String.join(", ", keys.known()));
    }

    /** The value of {@code ${NAME}} is taken as it is, not expanded again. */
    private String expand(String key, String value, String origin) {
        return PLACEHOLDER.matcher(value).replaceAll(match -> {
            String replacement = environment.get(match.group(1));
            if (replacement == null) {
                throw new LockConfigurationException(key + " (" + origin + ") reads the environment variable "
                        + match.group(1) + ", which is not set");
            }
            return Matcher.quoteReplacement(replacement);
        });
    }

    private static @org.jspecify.annotations.Nullable URL resource() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        URL resource = context == null ? null : context.getResource(FILE);
        return resource != null ? resource : Sources.class.getResource("/" + FILE);
    }

    private static Properties load(URL resource) {
        Properties properties = new Properties();
        try (InputStream stream = resource.openStream();
                Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new LockConfigurationException(
                    "cannot read the configuration on the class path " + resource + ": " + e, e);
        }
        return properties;
    }
}
