package dev.holdfast.lock.spi;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as text: a whole number with a unit, or ISO-8601. */
public final class DurationText {

    /** The input of {@link #parse}, for error messages. */
    public static final String ALLOWED = "a duration such as 500ms, 30s, 5m, 2h, 1d or PT30S";

    private static final Pattern SHORT = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

    private DurationText() {}

    /**
     * Reads a duration.
     *
     * @throws IllegalArgumentException if the text is not a duration or longer than a hundred years; names what is allowed
     */
    public static Duration parse(String text) {
        Duration duration = read(text.strip());
        if (duration.compareTo(DurationLimits.MAX) > 0 || duration.compareTo(DurationLimits.MAX.negated()) < 0) {
            throw new IllegalArgumentException("'" + text + "' is longer than " + format(DurationLimits.MAX));
        }
        return duration;
    }

    private static Duration read(String text) {
        Matcher matcher = SHORT.matcher(text);
        if (!matcher.matches()) {
            try {
                return Duration.parse(text);
            } catch (DateTimeParseException e) {
                throw new IllegalArgumentException("'" + text + "' is not " + ALLOWED, e);
            }
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    /** Formats a duration in the short form if that is exact, such as {@code 30s}; else in ISO-8601. */
    public static String format(Duration duration) {
        if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
            return duration.toString();
        } else if (duration.isZero()) {
            return "0s";
        } else if (duration.toMillisPart() != 0) {
            return duration.toMillis() + "ms";
        } else if (duration.toSecondsPart() != 0) {
            return duration.toSeconds() + "s";
        } else if (duration.toMinutesPart() != 0) {
            return duration.toMinutes() + "m";
        } else if (duration.toHoursPart() != 0) {
            return duration.toHours() + "h";
        } else {
            return duration.toDays() + "d";
        }
    }
}
