package dev.holdfast.lock.spi.failover;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockProvider;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The providers that {@link ServiceLoader} finds. None, several of one name, or a broken one is an error, never a silent pick. */
public final class LockProviders {

    private static final String ADD = "add a store such as lock-jdbc (dev.holdfast:lock-jdbc)";

    private final List<LockProvider> found;

    private LockProviders(List<LockProvider> found) {
        this.found = found;
    }

    /** By the thread's context class loader first, so that an application server's application is seen. */
    public static LockProviders find() {
        Map<Class<?>, LockProvider> byClass = new LinkedHashMap<>();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            ServiceLoader.load(LockProvider.class, context).forEach(p -> byClass.putIfAbsent(p.getClass(), p));
            ServiceLoader.load(LockProvider.class, LockProvider.class.getClassLoader())
                    .forEach(p -> byClass.putIfAbsent(p.getClass(), p));
        } catch (ServiceConfigurationError e) {
            throw new LockConfigurationException("a lock provider cannot be loaded: " + e.getMessage(), e);
        }
        return new LockProviders(new ArrayList<>(byClass.values()));
    }

    static LockProviders of(List<LockProvider> found) {
        return new LockProviders(found);
    }

    /** The keys of all providers found. */
    public List<ConfigKey> keys() {
        return found.stream().flatMap(p -> p.keys().stream()).toList();
    }

    /**
     * The one of this name.
     *
     * @param key what names it, for the error if there is none
     */
    public LockProvider named(String key, String name) {
        List<LockProvider> matching =
                found.stream().filter(p -> p.name().equals(name)).toList();
        if (matching.size() == 1) {
            return matching.get(0);
        }
        if (found.isEmpty()) {
            throw new LockConfigurationException(key + "=" + name + ": no lock provider is on the class path; " + ADD);
        }
        if (matching.isEmpty()) {
            throw new LockConfigurationException(key + "=" + name + " is unknown; found on the class path: "
                    + found.stream().map(LockProvider::name).collect(Collectors.toCollection(TreeSet::new)) + "; "
                    + ADD);
        }
        throw new LockConfigurationException(key + "=" + name + " is ambiguous; remove all but one of: "
                + matching.stream().map(LockProviders::describe).collect(Collectors.joining(", ")));
    }

    private static String describe(LockProvider provider) {
        CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
        return provider.getClass().getName() + (source == null ? "" : " in " + source.getLocation());
    }
}
