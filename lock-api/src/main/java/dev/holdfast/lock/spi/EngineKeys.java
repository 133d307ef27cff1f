package dev.holdfast.lock.spi;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The configuration keys of the engine, which every store shares. */
public final class EngineKeys {

    /** The shortest lease that makes sense over a network. */
    public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

    private static final Pattern APPLICATION_NAME = Pattern.compile("[\\P{Cntrl}&&[^/@]]{1,100}");

    /** Chooses the store. */
    public static final ConfigKey<String> PROVIDER = ConfigKey.text(
                    "lock.provider", "the store, by the name of its provider")
            .required();

    /** The namespace of the locks. */
    public static final ConfigKey<String> NAMESPACE = ConfigKey.text(
                    "lock.namespace",
                    "1 to 64 of A-Z a-z 0-9 . _ -",
                    text -> text.matches(Namespace.ALLOWED),
                    "separates the names of applications that share a store")
            .withDefault("default");

    /** The length of a lease unless renewed. */
    public static final ConfigKey<Duration> LEASE = ConfigKey.duration(
                    "lock.lease", SHORTEST_LEASE, "how long a lease outlives its holder's last renewal")
            .withDefault(Duration.ofSeconds(30));

    /** The longest wait of {@code acquire()}. */
    public static final ConfigKey<Duration> ACQUIRE_TIMEOUT = ConfigKey.duration(
                    "lock.acquire-timeout", Duration.ZERO, "how long acquire(), run and call wait")
            .withDefaultText("for ever");

    /** Maximum consecutive local hand-offs before other processes have their turn. */
    public static final ConfigKey<Integer> MAX_LOCAL_HANDOFFS = ConfigKey.integer(
                    "lock.max-local-handoffs",
                    1,
                    LockReply.Granted.HOLDERS_PER_GRANT,
                    "maximum consecutive hand-offs within one process before another process has its turn")
            .withDefaultText("16; more on a store that polls");

    /** The time that one call to the store may take; a third of a lease that is too short for it. */
    public static final ConfigKey<Duration> CALL_TIMEOUT = ConfigKey.duration(
                    "lock.call-timeout", Duration.ofMillis(10), "how long one call to the store may take")
            .withDefault(Duration.ofSeconds(3))
            .withDefaultText("a third of lock.lease, 3s at most");

    /** The name that a store shows before the process and the host of a holder. */
    public static final ConfigKey<String> APPLICATION = ConfigKey.text(
            "lock.application",
            "up to 100 characters that can be printed, without / and @",
            text -> APPLICATION_NAME.matcher(text).matches(),
            "the name of the application, shown before process id and host in lists of locks");

    /** A number that every token of the store has to exceed. */
    public static final ConfigKey<Long> TOKEN_FLOOR = ConfigKey.longInteger(
                    "lock.token-floor",
                    0,
                    LockReply.Granted.MAX_TOKEN - 1,
                    "every token of the store is greater than this")
            .withDefault(0L)
            .withDefaultText("none");

    /** All of them. */
    public static final List<ConfigKey<?>> ALL = List.of(
            PROVIDER, NAMESPACE, LEASE, ACQUIRE_TIMEOUT, MAX_LOCAL_HANDOFFS, CALL_TIMEOUT, APPLICATION, TOKEN_FLOOR);

    private EngineKeys() {}
}
