package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spring.boot.internal.StoreAddress;
import dev.holdfast.lock.spring.boot.internal.StoreKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Creates the settings of the locks from the application's properties, and from the addresses of its own stores. */
final class LockSettingsFactory {

    private static final String PROVIDER = "lock.provider";
    private static final String NAMESPACE = "lock.namespace";
    static final String MEMORY = "memory";
    private static final String COMPOSITE = "composite";
    private static final String STARTER_OF_BOOT_3 = "dev.holdfast.lock.spring.boot3.HoldfastBoot3AutoConfiguration";

    /** The properties that are not keys of Holdfast. */
    static final Set<String> OF_STARTER = Set.of(
            "holdfast.enabled",
            "holdfast.fail-fast",
            "holdfast.aop.order",
            "holdfast.jdbc.data-source",
            "holdfast.web.acquire-timeout",
            "holdfast.web.max-waiting",
            "holdfast.web.problems");

    private static final Set<String> OF_HOLDFAST = Set.of("redis", "jdbc", COMPOSITE);

    /** The characters that a holder's name cannot contain. */
    private static final Pattern NOT_SHOWN = Pattern.compile("[\\p{Cntrl}/@]");

    private final Environment environment;
    private final HoldfastProperties bound;
    private final List<StoreAddress> addresses;
    private final Supplier<@Nullable SslBundles> sslBundles;
    private final Map<String, LockProvider> providers;

    LockSettingsFactory(
            Environment environment,
            HoldfastProperties bound,
            List<StoreAddress> addresses,
            Supplier<@Nullable SslBundles> sslBundles,
            ClassLoader classLoader) {
        this.environment = environment;
        this.bound = bound;
        this.addresses = addresses;
        this.sslBundles = sslBundles;
        this.providers = providers(classLoader);
        requireStarterOf(SpringBootVersion.getVersion(), classLoader);
    }

    /** Boot 3 has its connections and its health in other packages, where this starter would not see them. */
    static void requireStarterOf(String boot, ClassLoader classLoader) {
        if (boot.startsWith("3.") && !ClassUtils.isPresent(STARTER_OF_BOOT_3, classLoader)) {
            throw new LockConfigurationException(
                    "the application runs on Spring Boot " + boot
                            + ", for which dev.holdfast:lock-spring-boot3-starter replaces dev.holdfast:lock-spring-boot-starter");
        }
    }

    static Map<String, LockProvider> providers(ClassLoader classLoader) {
        Map<String, LockProvider> found = new TreeMap<>();
        try {
            ServiceLoader.load(LockProvider.class, classLoader)
                    .forEach(provider -> found.putIfAbsent(provider.name(), provider));
        } catch (ServiceConfigurationError e) {
            throw new LockConfigurationException("a lock provider cannot be loaded: " + e.getMessage(), e);
        }
        return found;
    }

    /** The settings for a store that a provider opens. */
    LockSettings forProvider() {
        LockSettings settings = read();
        putApplicationsNamespace(settings);
        if (shared()) {
            throw new LockConfigurationException("holdfast.jdbc.data-source=shared, but there is no store on the"
                    + " application's data source: it takes dev.holdfast:lock-jdbc on the class path, and one DataSource"
                    + " bean");
        }
        if (!settings.has(PROVIDER)) {
            settings.put(PROVIDER, onlyProvider(settings));
        }
        String provider = settings.get(PROVIDER, "");
        if (OF_HOLDFAST.contains(provider) && !providers.containsKey(provider)) {
            throw new LockConfigurationException("holdfast.provider=" + provider
                    + ", but that store is not on the class" + " path: add dev.holdfast:lock-" + provider);
        }
        addSslBundle(settings);
        addAddresses(settings);
        return settings;
    }

    /** The settings for a store that is a bean: one of the application, or one on its data source. */
    LockSettings forBean() {
        LockSettings settings = read();
        String store = shared() ? "the data source of the application is the store" : "a LockStore bean is the store";
        for (String key : settings.keys()) {
            boolean fits =
                    shared() && key.equals(PROVIDER) && settings.get(key, "").equals("jdbc");
            boolean namespace = shared() && key.equals(NAMESPACE);
            boolean ofEngine = HoldfastKeys.isOfEngine(key) && !key.equals(PROVIDER) && !key.equals(NAMESPACE);
            if (!fits && !namespace && !ofEngine) {
                throw new LockConfigurationException(SpringNames.of(key) + " is set, but " + store
                        + (shared() ? " (holdfast.jdbc.data-source=shared)" : "") + ": remove one of them");
            }
        }
        if (shared()) { // known, so that health and metrics name it
            settings.put(PROVIDER, StoreKind.JDBC.provider());
            putApplicationsNamespace(settings);
        }
        return settings;
    }

    /**
     * The settings for a store in the memory of this application. Settings of other stores are not a mistake: a test inherits them
     * from the application, and replaces only the provider.
     */
    LockSettings forMemory() {
        LockSettings settings = read();
        putApplicationsNamespace(settings);
        return settings;
    }

    boolean isFailFast() {
        return bound.isFailFast();
    }

    boolean isMemory() {
        return MEMORY.equals(
                HoldfastKeys.values(environment, Set.of(EngineKeys.PROVIDER)).get(PROVIDER));
    }

    /** The namespace of the locks; empty if they are in a store of the application, which alone knows its namespace. */
    Optional<Namespace> namespace(@Nullable LockStore storeBean) {
        return storeBean != null && !shared() ? Optional.empty() : Optional.of(namespace(forMemory()));
    }

    /** The namespace in these settings. */
    static Namespace namespace(LockSettings settings) {
        String text = settings.get(NAMESPACE, "default");
        try {
            return new Namespace(text);
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(settings.shown(NAMESPACE) + "; expected " + Namespace.ALLOWED, e);
        }
    }

    /** Sets the application's namespace: two applications that share a store have separate locks. */
    private void putApplicationsNamespace(LockSettings settings) {
        String application = environment.getProperty(LockSettings.APPLICATION_NAME, "");
        if (!application.isBlank()) {
            settings.putIfAbsent(NAMESPACE, application.strip(), LockSettings.APPLICATION_NAME);
        }
    }

    private boolean shared() {
        return bound.getJdbc().getDataSource() == HoldfastProperties.DataSourceChoice.SHARED;
    }

    private LockSettings read() {
        Map<String, ConfigKey<?>> readable = HoldfastKeys.with(providers.values());
        SpringNames names = new SpringNames(environment);
        List<String> properties =
                new ArrayList<>(readable.keySet().stream().map(SpringNames::of).toList());
        properties.addAll(OF_STARTER);
        Set<String> absent = new TreeSet<>(OF_HOLDFAST);
        absent.removeAll(providers.keySet());
        names.requireKnown(properties, absent);
        for (StoreKind kind : StoreKind.values()) { // in the environment as well
            if (absent.contains(kind.provider())
                    && HoldfastKeys.isSet(environment, SpringNames.property(kind.addressKey()))) {
                throw SpringNames.ofAbsent(
                        SpringNames.of(kind.addressKey()), names.origin(kind.addressKey()), kind.provider());
            }
        }

        LockSettings settings = new LockSettings(names);
        HoldfastKeys.values(environment, readable.values()).forEach(settings::put);
        String application = NOT_SHOWN
                .matcher(environment.getProperty(LockSettings.APPLICATION_NAME, ""))
                .replaceAll("-")
                .strip();
        if (!application.isEmpty()) {
            settings.putIfAbsent(
                    "lock.application",
                    application.substring(0, Math.min(application.length(), 100)),
                    LockSettings.APPLICATION_NAME);
        }
        return settings;
    }

    /** Never a silent pick: with two stores, the application says which. */
    private String onlyProvider(LockSettings settings) {
        List<StoreKind> present = Stream.of(StoreKind.values())
                .filter(kind -> providers.containsKey(kind.provider()))
                .toList();
        List<StoreKind> usable = present.stream()
                .filter(kind -> settings.has(kind.addressKey()) || address(kind).isPresent())
                .toList();
        if (usable.size() == 1) {
            return usable.get(0).provider();
        }
        if (present.isEmpty()) {
            throw new LockConfigurationException(
                    "no store for locks is on the class path: add dev.holdfast:lock-redis or"
                            + " dev.holdfast:lock-jdbc, or set holdfast.provider to the name of another provider (in a test:"
                            + " memory)");
        }
        if (usable.isEmpty()) {
            throw new LockConfigurationException("no lock store has an address: "
                    + present.stream()
                            .map(kind -> objection(kind).orElseGet(() -> "set " + addressProperties(kind)))
                            .collect(Collectors.joining("; or "))
                    + absentModules(present)
                    + "; or set holdfast.provider to the name of another provider (in a test: memory)");
        }
        throw new LockConfigurationException("holdfast.provider is not set, and several stores could keep the locks: "
                + usable.stream()
                        .map(kind -> kind.provider() + " ("
                                + (settings.has(kind.addressKey())
                                        ? SpringNames.of(kind.addressKey())
                                        : kind.propertiesOfBoot())
                                + ")")
                        .collect(Collectors.joining(" and "))
                + "; set holdfast.provider to one of them"
                + (providers.containsKey(COMPOSITE) ? ", or to composite" : ""));
    }

    private void addSslBundle(LockSettings settings) {
        String name = settings.get(LockSettings.SSL_BUNDLE, "");
        if (name.isEmpty()) {
            return;
        }
        SslBundles bundles = sslBundles.get();
        try {
            if (bundles != null) {
                settings.putSslBundle(bundles.getBundle(name), name);
                return;
            }
        } catch (NoSuchSslBundleException e) {
            throw new LockConfigurationException(noBundle(settings), e);
        }
        throw new LockConfigurationException(noBundle(settings));
    }

    private static String noBundle(LockSettings settings) {
        return settings.shown(LockSettings.SSL_BUNDLE)
                + " is not an SSL bundle of the application; those are"
                + " configured by spring.ssl.bundle";
    }

    private void addAddresses(LockSettings settings) {
        String provider = settings.get(PROVIDER, "");
        List<String> parts = provider.equals(COMPOSITE)
                ? List.of(
                        settings.get("lock.composite.primary", StoreKind.REDIS.provider()),
                        settings.get("lock.composite.fallback", StoreKind.JDBC.provider()))
                : List.of(provider);
        for (StoreKind kind : StoreKind.values()) {
            if (parts.contains(kind.provider())
                    && providers.containsKey(kind.provider())
                    && !settings.has(kind.addressKey())) {
                StoreAddress address = address(kind)
                        .orElseThrow(() -> new LockConfigurationException("the locks have no store address: "
                                + objection(kind).orElseGet(() -> "set " + addressProperties(kind))));
                SslBundle bundle = address.sslBundle();
                if (bundle != null
                        && !settings.has(LockSettings.SSL_BUNDLE)
                        && !settings.has("lock.redis.trust-store")) {
                    settings.putSslBundle(bundle, kind.propertiesOfBoot());
                }
                address.settings().forEach((key, value) -> {
                    if (!value.isBlank()) {
                        settings.putIfAbsent(key, value, kind.propertiesOfBoot());
                    }
                });
            }
        }
    }

    private Optional<String> objection(StoreKind kind) {
        return addresses.stream()
                .filter(address -> address.kind() == kind)
                .flatMap(address -> address.objection().stream())
                .findFirst();
    }

    /** Advice about the stores that the application uses itself, but its locks cannot use. */
    private String absentModules(List<StoreKind> present) {
        return Stream.of(StoreKind.values())
                .filter(kind -> !present.contains(kind))
                .filter(kind -> address(kind).isPresent())
                .map(kind ->
                        "; or add dev.holdfast:lock-" + kind.provider() + " for those of " + kind.propertiesOfBoot())
                .collect(Collectors.joining());
    }

    private Optional<StoreAddress> address(StoreKind kind) {
        return addresses.stream()
                .filter(address -> address.kind() == kind && address.isKnown())
                .findFirst();
    }

    private String addressProperties(StoreKind kind) {
        boolean isReadByBoot = addresses.stream().anyMatch(address -> address.kind() == kind);
        return SpringNames.of(kind.addressKey()) + " (or " + kind.propertiesOfBoot()
                + ".*, from which Boot configures its own connections"
                + (isReadByBoot ? ")" : " if " + kind.starterOfBoot() + " is on the class path)");
    }
}
