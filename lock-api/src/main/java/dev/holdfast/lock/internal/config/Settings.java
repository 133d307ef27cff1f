package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.EngineKeys;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.SettingNames;
import dev.holdfast.lock.spi.environment.HolderName;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The settings of one {@code Locks}: what was found, after all overrides. */
public final class Settings implements Config {

    private static final int MAX_HOLDER = 255;

    private final Map<String, Setting> found;
    private final SettingNames names;
    private final Optional<Duration> acquireTimeout;

    /** Checks the engine's own settings at once, so that no mistake in them stays hidden until its first use. */
    Settings(Map<String, Setting> found, SettingNames names) {
        this.found = Map.copyOf(found);
        this.names = names;
        EngineKeys.ALL.forEach(this::find);
        acquireTimeout = find(EngineKeys.ACQUIRE_TIMEOUT);
        objectionTo(lease()).ifPresent(objection -> {
            throw new LockConfigurationException(message(EngineKeys.LEASE, "another one: " + objection));
        });
    }

    /**
     * Each setting with its origin: of the engine, of the provider, and all others that were set; by key.
     *
     * @param ofProvider the keys of the provider that was chosen
     */
    public List<EffectiveSetting> effective(Collection<? extends ConfigKey<?>> ofProvider) {
        TreeMap<String, EffectiveSetting> all = new TreeMap<>();
        List<ConfigKey<?>> keys = new ArrayList<>(EngineKeys.ALL);
        keys.addAll(ofProvider);
        keys.forEach(key -> all.put(key.name(), new EffectiveSetting(key.name(), key.defaultText(), "default")));
        found.forEach((key, setting) -> all.put(key, new EffectiveSetting(key, setting.shown(), setting.origin())));
        return List.copyOf(all.values());
    }

    /** The same for a store that the caller opened: without the settings that choose and open one. */
    public List<EffectiveSetting> effectiveForCallersStore() {
        Set<String> consulted = EngineKeys.ALL.stream()
                .filter(key -> key != EngineKeys.PROVIDER && key != EngineKeys.NAMESPACE)
                .map(ConfigKey::name)
                .collect(Collectors.toSet());
        return effective(List.of()).stream()
                .filter(setting -> consulted.contains(setting.key()))
                .toList();
    }

    /** The application's name for a key. */
    String name(String key) {
        return names.name(key);
    }

    /** The provider's name. */
    public String provider() {
        return get(EngineKeys.PROVIDER);
    }

    /** The namespace of the locks. */
    public Namespace namespace() {
        return new Namespace(get(EngineKeys.NAMESPACE));
    }

    @Override
    public Duration lease() {
        return get(EngineKeys.LEASE);
    }

    /** The longest wait of {@code acquire()}; empty for no limit. */
    public Optional<Duration> acquireTimeout() {
        return acquireTimeout;
    }

    /**
     * Maximum consecutive local hand-offs, without a call to the store, before other processes have their turn; 1 to 256. Empty for
     * the store's default.
     */
    public OptionalInt maxLocalHandoffs() {
        return find(EngineKeys.MAX_LOCAL_HANDOFFS).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /**
     * A number that every token of the store has to exceed, as after a loss of tokens or a move from a composite to one of its
     * stores; 0 for no such floor.
     */
    public long tokenFloor() {
        return get(EngineKeys.TOKEN_FLOOR);
    }

    /** The name that the store shows for this process as a holder or waiter: {@code shop/4711@host-3}, or {@code 4711@host-3}. */
    public String holder() {
        String process = HolderName.ofThisProcess();
        String holder =
                find(EngineKeys.APPLICATION).map(name -> name + "/" + process).orElse(process);
        return holder.length() <= MAX_HOLDER ? holder : holder.substring(0, MAX_HOLDER);
    }

    @Override
    public Duration callTimeout() {
        return callTimeout(lease());
    }

    @Override
    public Duration callTimeout(Duration lease) {
        Duration third = lease.dividedBy(3);
        return Durations.min(get(EngineKeys.CALL_TIMEOUT), third);
    }

    /** The shortest lease that {@link #objectionTo} allows. */
    public Duration shortestLease() {
        return find(EngineKeys.CALL_TIMEOUT)
                .filter(call -> call.compareTo(EngineKeys.SHORTEST_LEASE) > 0)
                .orElse(EngineKeys.SHORTEST_LEASE);
    }

    /** Why a lease of this length is not allowed: too long, or shorter than one call may take; empty if it is allowed. */
    public Optional<String> objectionTo(Duration lease) {
        if (lease.compareTo(EngineKeys.SHORTEST_LEASE) < 0) {
            return Optional.of("a lease lasts at least " + DurationText.format(EngineKeys.SHORTEST_LEASE) + ", not "
                    + DurationText.format(lease) + ": a shorter one may end within a single round trip to the store");
        }
        if (lease.compareTo(DurationLimits.MAX) > 0) {
            return Optional.of("a lease lasts " + DurationText.format(DurationLimits.MAX) + " at most, not " + lease);
        }
        return find(EngineKeys.CALL_TIMEOUT)
                .filter(call -> lease.compareTo(call) < 0)
                .map(call -> "a lease of " + DurationText.format(lease) + " is shorter than "
                        + found.get(EngineKeys.CALL_TIMEOUT.name())
                        + "; it must last as long as one call may take, better three times as long");
    }

    /** The text that is set, as yet unchecked. */
    Optional<String> text(ConfigKey<?> key) {
        return Optional.ofNullable(found.get(key.name())).map(Setting::value);
    }

    @Override
    public <T> Optional<T> find(ConfigKey<T> key) {
        return text(key).map(text -> {
            try {
                return key.parse(text);
            } catch (IllegalArgumentException e) {
                throw new LockConfigurationException(message(key, key.allowed()), e);
            }
        });
    }

    @Override
    public LockConfigurationException invalid(ConfigKey<?> key, String allowed) {
        return new LockConfigurationException(message(key, allowed));
    }

    @Override
    public LockConfigurationException invalid(ConfigKey<?> key, String shown, String allowed) {
        Setting setting = found.get(key.name());
        return setting == null
                ? invalid(key, allowed)
                : new LockConfigurationException(setting.shownAs(shown) + " is not allowed; expected " + allowed);
    }

    @Override
    public String withOrigin(ConfigKey<?> key) {
        Setting setting = found.get(key.name());
        if (setting == null) {
            return names.name(key.name()) + " (not set)";
        }
        return setting.origin().equals(Sources.GIVEN) ? setting.name() : setting.name() + " (" + setting.origin() + ")";
    }

    private String message(ConfigKey<?> key, String allowed) {
        Setting setting = found.get(key.name());
        return (setting == null ? names.name(key.name()) + " is not set" : setting + " is not allowed") + "; expected "
                + allowed;
    }
}
