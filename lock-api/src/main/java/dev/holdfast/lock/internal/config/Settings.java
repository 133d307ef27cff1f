package dev.holdfast.lock.internal.config;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.admin.EffectiveSetting;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.SettingNames;
import dev.holdfast.lock.spi.environment.HolderName;
import dev.holdfast.lock.spi.support.DurationText;
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
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The settings of one {@code Locks}: what was found, after all overrides. */
public final class Settings implements Config {

    /** The shortest lease and the shortest call timeout that make sense over a network. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    private static final Duration SHORTEST_CALL = Duration.ofMillis(10);

    static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    static final Duration DEFAULT_CALL_TIMEOUT = Duration.ofSeconds(3);
    static final String DEFAULT_NAMESPACE = "default";

    private static final Pattern APPLICATION = Pattern.compile("[\\P{Cntrl}&&[^/@]]{1,100}");
    private static final int MAX_HOLDER = 255;

    private final Map<String, Setting> found;
    private final SettingNames names;
    private final Optional<Duration> acquireTimeout;

    /** Checks the engine's own settings at once, so that no mistake in them stays hidden until its first use. */
    Settings(Map<String, Setting> found, SettingNames names) {
        this.found = Map.copyOf(found);
        this.names = names;
        acquireTimeout = duration(Keys.ACQUIRE_TIMEOUT, Duration.ZERO);
        namespace();
        maxLocalHandoffs();
        tokenFloor();
        holder();
        objectionTo(lease()).ifPresent(objection -> {
            throw new LockConfigurationException(message(Keys.LEASE, "another one: " + objection));
        });
    }

    /**
     * Each setting with its origin: of the engine, of the provider, and all others that were set; by key.
     *
     * @param ofProvider the keys of the provider that was chosen
     */
    public List<EffectiveSetting> effective(Collection<ConfigKey> ofProvider) {
        TreeMap<String, EffectiveSetting> all = new TreeMap<>();
        List<ConfigKey> keys = new ArrayList<>(Keys.ENGINE);
        keys.addAll(ofProvider);
        keys.forEach(key -> all.put(key.name(), new EffectiveSetting(key.name(), key.defaultValue(), "default")));
        found.forEach((key, setting) -> all.put(key, new EffectiveSetting(key, setting.shown(), setting.origin())));
        return List.copyOf(all.values());
    }

    /** The same for a store that the caller opened: without the settings that choose and open one. */
    public List<EffectiveSetting> effectiveForCallersStore() {
        Set<String> consulted = Keys.ENGINE.stream().map(ConfigKey::name).collect(Collectors.toSet());
        consulted.removeAll(Set.of(Keys.PROVIDER, Keys.NAMESPACE));
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
        return required(Keys.PROVIDER);
    }

    /** The namespace of the locks. */
    public Namespace namespace() {
        String value = text(Keys.NAMESPACE).orElse(DEFAULT_NAMESPACE);
        try {
            return new Namespace(value);
        } catch (IllegalArgumentException e) {
            throw invalid(Keys.NAMESPACE, "1 to 64 of A-Z a-z 0-9 . _ -");
        }
    }

    @Override
    public Duration lease() {
        return duration(Keys.LEASE, SHORTEST_LEASE).orElse(DEFAULT_LEASE);
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
        return text(Keys.MAX_LOCAL_HANDOFFS).isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(integer(Keys.MAX_LOCAL_HANDOFFS, 1, 1, LockReply.Granted.HOLDERS_PER_GRANT));
    }

    /**
     * A number that every token of the store has to exceed, as after a loss of tokens or a move from a composite to one of its
     * stores; 0 for no such floor.
     */
    public long tokenFloor() {
        String allowed = "a whole number from 0 to " + (LockReply.Granted.MAX_TOKEN - 1);
        try {
            long floor = Long.parseLong(text(Keys.TOKEN_FLOOR).orElse("0"));
            if (floor >= 0 && floor < LockReply.Granted.MAX_TOKEN) {
                return floor;
            }
        } catch (NumberFormatException e) {
            throw new LockConfigurationException(message(Keys.TOKEN_FLOOR, allowed), e);
        }
        throw invalid(Keys.TOKEN_FLOOR, allowed);
    }

    /** The name that the store shows for this process as a holder or waiter: {@code shop/4711@host-3}, or {@code 4711@host-3}. */
    public String holder() {
        String process = HolderName.ofThisProcess();
        Optional<String> application = text(Keys.APPLICATION);
        if (application.filter(name -> !APPLICATION.matcher(name).matches()).isPresent()) {
            throw invalid(Keys.APPLICATION, "up to 100 characters that can be printed, without '/' and '@'");
        }
        String holder = application.map(name -> name + "/" + process).orElse(process);
        return holder.length() <= MAX_HOLDER ? holder : holder.substring(0, MAX_HOLDER);
    }

    @Override
    public Duration callTimeout() {
        return callTimeout(lease());
    }

    @Override
    public Duration callTimeout(Duration lease) {
        Duration third = lease.dividedBy(3);
        Duration set = duration(Keys.CALL_TIMEOUT, SHORTEST_CALL).orElse(DEFAULT_CALL_TIMEOUT);
        return Durations.min(set, third);
    }

    /** The shortest lease that {@link #objectionTo} allows. */
    public Duration shortestLease() {
        return duration(Keys.CALL_TIMEOUT, SHORTEST_CALL)
                .filter(call -> call.compareTo(SHORTEST_LEASE) > 0)
                .orElse(SHORTEST_LEASE);
    }

    /** Why a lease of this length is not allowed: too long, or shorter than one call may take; empty if it is allowed. */
    public Optional<String> objectionTo(Duration lease) {
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            return Optional.of("a lease lasts at least " + DurationText.format(SHORTEST_LEASE) + ", not "
                    + DurationText.format(lease) + ": a shorter one may end within a single round trip to the store");
        }
        if (lease.compareTo(DurationLimits.MAX) > 0) {
            return Optional.of("a lease lasts " + DurationText.format(DurationLimits.MAX) + " at most, not " + lease);
        }
        return duration(Keys.CALL_TIMEOUT, SHORTEST_CALL)
                .filter(call -> lease.compareTo(call) < 0)
                .map(call ->
                        "a lease of " + DurationText.format(lease) + " is shorter than " + found.get(Keys.CALL_TIMEOUT)
                                + "; it must last as long as one call may take, better three times as long");
    }

    @Override
    public Optional<String> text(String key) {
        return Optional.ofNullable(found.get(key)).map(Setting::value);
    }

    @Override
    public Optional<Duration> duration(String key, Duration least) {
        return text(key).map(text -> {
            String allowed = DurationText.ALLOWED + ", at least " + DurationText.format(least);
            try {
                Duration duration = DurationText.parse(text);
                if (duration.compareTo(least) >= 0) {
                    return duration;
                }
            } catch (IllegalArgumentException e) {
                throw new LockConfigurationException(message(key, allowed), e);
            }
            throw invalid(key, allowed);
        });
    }

    @Override
    public int integer(String key, int otherwise, int least, int most) {
        String text = text(key).orElse(Integer.toString(otherwise));
        String allowed = "a whole number from " + least + " to " + most;
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new LockConfigurationException(message(key, allowed), e);
        }
        throw invalid(key, allowed);
    }

    @Override
    public boolean flag(String key, boolean otherwise) {
        return switch (text(key).orElse(Boolean.toString(otherwise))) {
            case "true" -> true;
            case "false" -> false;
            default -> throw invalid(key, "true or false");
        };
    }

    @Override
    public LockConfigurationException invalid(String key, String allowed) {
        return new LockConfigurationException(message(key, allowed));
    }

    @Override
    public LockConfigurationException invalid(String key, String shown, String allowed) {
        Setting setting = found.get(key);
        return setting == null
                ? invalid(key, allowed)
                : new LockConfigurationException(setting.shownAs(shown) + " is not allowed; expected " + allowed);
    }

    @Override
    public String withOrigin(String key) {
        Setting setting = found.get(key);
        if (setting == null) {
            return names.name(key) + " (not set)";
        }
        return setting.origin().equals(Sources.GIVEN) ? setting.name() : setting.name() + " (" + setting.origin() + ")";
    }

    private String message(String key, String allowed) {
        Setting setting = found.get(key);
        return (setting == null ? names.name(key) + " is not set" : setting + " is not allowed") + "; expected "
                + allowed;
    }
}
