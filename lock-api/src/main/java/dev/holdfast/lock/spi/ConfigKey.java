package dev.holdfast.lock.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A configuration key that a provider reads: its name, the type and limits of its values, and its default.
 *
 * <pre>{@code
 * private static final ConfigKey<Integer> POOL_SIZE = ConfigKey.integer(
 *                 "lock.mine.pool-size", 1, 1_000, "connections to the server")
 *         .withDefault(8);
 * }</pre>
 *
 * <p>An optional key without a default unless a method says otherwise. Immutable and thread-safe.
 *
 * @param <T> the type of its values
 */
public final class ConfigKey<T> {

    private static final String BEGINNING = "lock.";

    private final String name;
    private final Class<T> type;
    private final String limits;
    private final String allowed;
    private final String description;
    private final Function<String, T> parser;
    private final @Nullable T defaultValue;
    private final String defaultText;
    private final boolean secret;

    private ConfigKey(
            String name,
            Class<T> type,
            String limits,
            String allowed,
            String description,
            Function<String, T> parser,
            @Nullable T defaultValue,
            String defaultText,
            boolean secret) {
        if (!name.startsWith(BEGINNING)) {
            throw new IllegalArgumentException("a key begins with " + BEGINNING + ": '" + name + "'");
        }
        this.name = name;
        this.type = type;
        this.limits = limits;
        this.allowed = allowed;
        this.description = description;
        this.parser = parser;
        this.defaultValue = defaultValue;
        this.defaultText = defaultText;
        this.secret = secret;
    }

    private static <T> ConfigKey<T> optional(
            String name, Class<T> type, String limits, String allowed, String description, Function<String, T> parser) {
        return new ConfigKey<>(name, type, limits, allowed, description, parser, null, "none", false);
    }

    /**
     * Any text.
     *
     * @param name such as {@code lock.mine.url}
     * @param description for people, without a full stop: {@code the address of the server}
     * @throws IllegalArgumentException if the name does not begin with {@code lock.}; as for all keys
     */
    public static ConfigKey<String> text(String name, String description) {
        return optional(name, String.class, "", "a text", description, text -> text);
    }

    /**
     * A text within limits.
     *
     * @param limits the values that are allowed, for people
     */
    public static ConfigKey<String> text(String name, String limits, Predicate<String> isAllowed, String description) {
        return optional(name, String.class, limits, limits, description, text -> checked(text, isAllowed.test(text)));
    }

    /** A whole number within these bounds. */
    public static ConfigKey<Integer> integer(String name, int least, int greatest, String description) {
        return wholeNumber(name, Integer.class, least, greatest, description, Math::toIntExact);
    }

    /** A whole number within these bounds. */
    public static ConfigKey<Long> longInteger(String name, long least, long greatest, String description) {
        return wholeNumber(name, Long.class, least, greatest, description, number -> number);
    }

    private static <T> ConfigKey<T> wholeNumber(
            String name, Class<T> type, long least, long greatest, String description, Function<Long, T> cast) {
        String limits = least + " to " + greatest;
        return optional(name, type, limits, "a whole number from " + limits, description, text -> {
            long number = Long.parseLong(text);
            return cast.apply(checked(number, number >= least && number <= greatest));
        });
    }

    /** A duration such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d} or, by ISO-8601, {@code PT30S}. */
    public static ConfigKey<Duration> duration(String name, Duration least, String description) {
        String shortest = DurationText.format(least);
        return optional(
                name,
                Duration.class,
                shortest + " or longer",
                DurationText.ALLOWED + ", at least " + shortest,
                description,
                text -> {
                    Duration duration = DurationText.parse(text);
                    return checked(duration, duration.compareTo(least) >= 0);
                });
    }

    /** {@code true} or {@code false}. */
    public static ConfigKey<Boolean> flag(String name, String description) {
        String limits = "true or false";
        return optional(name, Boolean.class, limits, limits, description, text -> {
            boolean isTrue = text.equals("true");
            return checked(isTrue, isTrue || text.equals("false"));
        });
    }

    private static <T> T checked(T value, boolean isAllowed) {
        if (!isAllowed) {
            throw new IllegalArgumentException("not allowed: " + value);
        }
        return value;
    }

    /** The same key, which must be set. */
    public ConfigKey<T> required() {
        return with(null, "must be set", secret);
    }

    /** The same key, with this value if it is not set. */
    public ConfigKey<T> withDefault(T value) {
        return with(
                value, value instanceof Duration duration ? DurationText.format(duration) : value.toString(), secret);
    }

    /** The same key, whose default is described by these words: {@code a third of lock.lease}. */
    public ConfigKey<T> withDefaultText(String text) {
        return with(defaultValue, text, secret);
    }

    /** The same key, whose value is never shown, such as a password or an access token. */
    public ConfigKey<T> secret() {
        return with(defaultValue, defaultText, true);
    }

    private ConfigKey<T> with(@Nullable T newDefault, String newText, boolean isSecret) {
        return new ConfigKey<>(name, type, limits, allowed, description, parser, newDefault, newText, isSecret);
    }

    /** Its name, such as {@code lock.mine.url}. */
    public String name() {
        return name;
    }

    /** The type of its values: of a text, number, duration or flag. */
    public Class<T> type() {
        return type;
    }

    /** What it is, for people, without a full stop. */
    public String description() {
        return description;
    }

    /** The bounds of its values, for people, such as {@code 1 to 1000}; empty if any text is allowed. */
    public String limits() {
        return limits;
    }

    /** The values that are allowed, for an error about another one. */
    public String allowed() {
        return allowed;
    }

    /** The value if the key is not set; empty if it has none, or only its reader knows it. */
    public Optional<T> defaultValue() {
        return Optional.ofNullable(defaultValue);
    }

    /** The effective value if the key is not set, for people: a value such as {@code 8}, or words such as {@code must be set}. */
    public String defaultText() {
        return defaultText;
    }

    /** Whether its value is never shown. */
    public boolean isSecret() {
        return secret;
    }

    /**
     * The value of this text.
     *
     * @throws IllegalArgumentException if it is not {@linkplain #allowed allowed}
     */
    public T parse(String text) {
        return parser.apply(text);
    }

    /** Its name. */
    @Override
    public String toString() {
        return name;
    }
}
