package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.support.Misspelling;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** The properties below {@code holdfast} in an application's environment: the check of their names, and where they were set. */
final class SpringNames {

    private static final String PREFIX = "holdfast.";
    private static final String OURS = "lock.";

    /** The keys of the engine and of the stores of Holdfast, but no word that only looks like one: a file, a class, a host. */
    private static final Pattern KEY =
            Pattern.compile("(?<![\\w./-])lock\\.((?:redis|jdbc|composite)\\.[a-z]+(?:-[a-z]+)*|"
                    + EngineKeys.ALL.stream()
                            .map(key -> Pattern.quote(key.name().substring(OURS.length())))
                            .collect(Collectors.joining("|"))
                    + ")(?![\\w-])");

    private final Environment environment;
    private final List<ConfigurationPropertySource> sources = new ArrayList<>();

    SpringNames(Environment environment) {
        this.environment = environment;
        if (environment instanceof ConfigurableEnvironment configurable) {
            ConfigurationPropertySources.from(configurable.getPropertySources()).forEach(sources::add);
        }
    }

    /** The property of a key: {@code lock.lease} is {@code holdfast.lease}. */
    static String of(String key) {
        return PREFIX + key.substring(OURS.length());
    }

    /** The same, in every form that Spring takes for it. */
    static ConfigurationPropertyName property(String key) {
        return name(of(key));
    }

    /** The text with Holdfast's keys in the application's form: {@code lock.lease} becomes {@code holdfast.lease}. */
    static String inWords(String text) {
        return KEY.matcher(text).replaceAll(PREFIX + "$1");
    }

    /** Where the property of this key is set, for people. */
    Optional<String> origin(String key) {
        ConfigurationPropertyName name = property(key);
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return Optional.of(origin(property));
            }
        }
        return Optional.empty();
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null
                ? "property source of the application"
                : property.getOrigin().toString();
    }

    /**
     * Refuses a property below {@code holdfast} that is not known. Environment variables are exempt: others may set them, such
     * as Kubernetes for a service called holdfast.
     *
     * @param known the names of all known properties
     * @param absent the stores of Holdfast that are not on the class path, whose properties are not known
     */
    void requireKnown(Collection<String> known, Set<String> absent) {
        Map<ConfigurationPropertyName, String> names = new TreeMap<>();
        known.forEach(each -> names.put(name(each), each));
        ConfigurationPropertyName ours = ConfigurationPropertyName.of("holdfast");
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable
                    && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
                iterable.stream().forEach(name -> requireNotOfOthers(name, source, names));
                iterable.stream()
                        .filter(name -> ours.isAncestorOf(name) && !names.containsKey(name))
                        .filter(name -> !absent.contains(store(name)) || HoldfastKeys.isSet(environment, name))
                        .findFirst()
                        .ifPresent(name -> {
                            throw unknown(name, source, names.values(), absent);
                        });
            }
        }
    }

    /** A system property may be meant for locks that the application opens without Spring; a property of the application is not. */
    private static void requireNotOfOthers(
            ConfigurationPropertyName name,
            ConfigurationPropertySource source,
            Map<ConfigurationPropertyName, String> known) {
        if (name.getNumberOfElements() > 1
                && name.getElement(0, ConfigurationPropertyName.Form.UNIFORM).equals("lock")
                && !isOfJvm(source)) {
            String ours = known.get(name(of(name.toString())));
            if (ours != null) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                throw new LockConfigurationException(name + (property == null ? "" : " (" + origin(property) + ")")
                        + " is not read in a Spring application: write " + ours);
            }
        }
    }

    private static boolean isOfJvm(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && underlying.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }

    private static LockConfigurationException unknown(
            ConfigurationPropertyName name,
            ConfigurationPropertySource source,
            Collection<String> known,
            Set<String> absent) {
        Optional<String> origin =
                Optional.ofNullable(source.getConfigurationProperty(name)).map(SpringNames::origin);
        if (absent.contains(store(name))) {
            return ofAbsent(name.toString(), origin, store(name));
        }
        String nearest = known.stream()
                .min(Comparator.comparingInt(each -> Misspelling.distance(name.toString(), each)))
                .orElseThrow();
        return new LockConfigurationException("unknown property " + name + inBrackets(origin) + "; did you mean "
                + nearest + "? The properties of a store are known if its module is on the class path");
    }

    private static String store(ConfigurationPropertyName name) {
        return name.getElement(1, ConfigurationPropertyName.Form.UNIFORM);
    }

    /** An error about a property of a store of Holdfast that is not on the class path. */
    static LockConfigurationException ofAbsent(String property, Optional<String> origin, String store) {
        return new LockConfigurationException(property + inBrackets(origin)
                + " is set, but no store on the class path reads it: add dev.holdfast:lock-" + store
                + ", or remove it");
    }

    private static String inBrackets(Optional<String> origin) {
        return origin.map(place -> " (" + place + ")").orElse("");
    }

    private static ConfigurationPropertyName name(String text) {
        return ConfigurationPropertyName.adapt(text.toLowerCase(Locale.ROOT), '.');
    }
}
