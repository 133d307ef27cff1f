package dev.holdfast.lock.spi.environment;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.support.Misspelling;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The providers that {@link ServiceLoader} finds. None, several of one name, or a broken one is an error, never a silent pick. */
public final class LockProviders {

    /** The artifact of each provider of Holdfast, except that of lock-api. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "jdbc", "dev.holdfast:lock-jdbc",
            "redis", "dev.holdfast:lock-redis",
            "composite", "dev.holdfast:lock-composite");

    /** At most two typing errors: beyond that, it is a different word. */
    private static final int TYPO = 2;

    /** A loader's message about a class that implements another class of the same name. */
    private static final Pattern NOT_A_SUBTYPE = Pattern.compile("(\\S+) not a subtype");

    private final List<LockProvider> found;
    /** Providers of other copies of lock-api, in words. */
    private final List<String> foreign;

    private LockProviders(List<LockProvider> found, List<String> foreign) {
        this.found = found;
        this.foreign = foreign;
    }

    /**
     * Searches the thread's context class loader first, so that an application on an application server is seen, and then
     * Holdfast's own. A provider that belongs to another copy of lock-api, such as that of the server or of another application, is
     * not usable here.
     */
    public static LockProviders find() {
        Map<Class<?>, LockProvider> byClass = new LinkedHashMap<>();
        Set<String> foreign = new LinkedHashSet<>();
        find(Thread.currentThread().getContextClassLoader(), byClass, foreign);
        find(LockProvider.class.getClassLoader(), byClass, foreign);
        return new LockProviders(new ArrayList<>(byClass.values()), List.copyOf(foreign));
    }

    private static void find(@Nullable ClassLoader loader, Map<Class<?>, LockProvider> found, Set<String> foreign) {
        Iterator<LockProvider> providers =
                ServiceLoader.load(LockProvider.class, loader).iterator();
        while (true) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                LockProvider provider = providers.next();
                found.putIfAbsent(provider.getClass(), provider);
            } catch (ServiceConfigurationError e) {
                Matcher message = NOT_A_SUBTYPE.matcher(String.valueOf(e.getMessage()));
                if (!message.find()) {
                    throw new LockConfigurationException("a lock provider cannot be loaded: " + e.getMessage(), e);
                }
                foreign.add(describe(message.group(1), loader));
            }
        }
    }

    static LockProviders of(List<LockProvider> found) {
        return new LockProviders(found, List.of());
    }

    /** The keys of all providers found. */
    public List<ConfigKey<?>> keys() {
        return found.stream().<ConfigKey<?>>flatMap(p -> p.keys().stream()).toList();
    }

    /**
     * The provider of this name.
     *
     * @param key the key that names it, for the error if there is none
     */
    public LockProvider named(String key, String name) {
        List<LockProvider> matching =
                found.stream().filter(p -> p.name().equals(name)).toList();
        if (matching.size() == 1) {
            return matching.get(0);
        }
        if (matching.isEmpty()) {
            throw new LockConfigurationException(key + "=" + name + ": "
                    + (found.isEmpty()
                            ? "no lock provider is on the class path"
                            : "no provider of this name is on the class path, only " + names())
                    + "; " + advice(name) + notUsable());
        }
        throw new LockConfigurationException(key + "=" + name + " is ambiguous; remove all but one of: "
                + matching.stream().map(each -> describe(each.getClass())).collect(Collectors.joining(", ")));
    }

    private Set<String> names() {
        return found.stream().map(LockProvider::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private String advice(String name) {
        String artifact = ARTIFACTS.get(name);
        if (artifact != null) {
            return "add " + artifact
                    + "; a jar that was merged from others also needs their files in META-INF/services";
        }
        Set<String> all = names();
        all.addAll(ARTIFACTS.keySet());
        return all.stream()
                .filter(each -> Misspelling.distance(name, each) <= TYPO)
                .findFirst()
                .map(each -> "did you mean " + each + "?")
                .orElse("add the jar of that provider; those of Holdfast are "
                        + ARTIFACTS.values().stream().sorted().collect(Collectors.joining(", ")));
    }

    /** The artifact whose provider has keys with this beginning, such as {@code lock.jdbc.}, if it is one of Holdfast's. */
    public static Optional<String> artifactOf(String beginning) {
        return ARTIFACTS.entrySet().stream()
                .filter(each -> beginning.equals("lock." + each.getKey() + "."))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private String notUsable() {
        return foreign.isEmpty()
                ? ""
                : "; not usable: " + String.join(", ", foreign) + ", as it belongs to another copy of lock-api than "
                        + describe(LockProvider.class)
                        + ": keep the jars of Holdfast in one place, either the application or its server";
    }

    private static String describe(String type, @Nullable ClassLoader loader) {
        try {
            return describe(Class.forName(type, false, loader == null ? ClassLoader.getSystemClassLoader() : loader));
        } catch (ClassNotFoundException | LinkageError e) {
            return type;
        }
    }

    /** The class, its jar and its class loader, as the same jar may be loaded twice. */
    private static String describe(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        ClassLoader loader = type.getClassLoader();
        return type.getName()
                + (source == null ? "" : " in " + source.getLocation())
                + (loader == null
                        ? ""
                        : " (class loader " + loader.getClass().getName() + "@"
                                + Integer.toHexString(System.identityHashCode(loader)) + ")");
    }
}
