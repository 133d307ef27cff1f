package dev.holdfast.lock.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Instants for people: the time in the local zone, less precise the further away it is, and the distance from now.
 *
 * @param clock the clock for the current time
 * @param zone the zone of the times shown
 */
public record TimeText(InstantSource clock, ZoneId zone) {

    private static final DateTimeFormatter TODAY = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ENGLISH);
    private static final DateTimeFormatter THIS_YEAR = DateTimeFormatter.ofPattern("d MMM HH:mm", Locale.ENGLISH);
    private static final DateTimeFormatter ANOTHER_YEAR = DateTimeFormatter.ofPattern("d MMM yyyy", Locale.ENGLISH);

    /** Times by the clock and in the zone of this machine. */
    public static TimeText local() {
        return new TimeText(InstantSource.system(), ZoneId.systemDefault());
    }

    /**
     * A past instant, such as {@code 15:02:03 (12 min ago)}. An instant that the store's faster clock puts ahead of now is
     * "just now".
     */
    public String past(Instant instant) {
        return time(instant) + (elapsed(instant).toSeconds() < 1 ? " (just now)" : " (" + age(instant) + " ago)");
    }

    /** A future instant, such as {@code 15:02:03 (in 12 min)}. */
    public String future(Instant instant) {
        return time(instant) + (remaining(instant).toSeconds() < 1 ? " (now)" : " (in " + left(instant) + ")");
    }

    /** The time since an instant, such as {@code 12 min}; not less than 0. */
    public String age(Instant instant) {
        return rough(elapsed(instant));
    }

    /** The time until an instant, such as {@code 12 min}; not less than 0. */
    public String left(Instant instant) {
        return rough(remaining(instant));
    }

    private Duration elapsed(Instant instant) {
        return Duration.between(instant, clock.instant());
    }

    private Duration remaining(Instant instant) {
        return Duration.between(clock.instant(), instant);
    }

    /** The time in the local zone alone: of the day for one of today, or else the date. */
    public String time(Instant instant) {
        ZonedDateTime local = instant.atZone(zone);
        ZonedDateTime now = clock.instant().atZone(zone);
        if (local.getYear() != now.getYear()) {
            return local.format(ANOTHER_YEAR);
        }
        return local.format(local.getDayOfYear() == now.getDayOfYear() ? TODAY : THIS_YEAR);
    }

    /** The duration in the unit that leaves about two digits, such as {@code 12 min}; 0 if it is negative. */
    public static String rough(Duration duration) {
        if (duration.toMinutes() < 2) {
            return Math.max(duration.toSeconds(), 0) + " s";
        } else if (duration.toHours() < 2) {
            return duration.toMinutes() + " min";
        } else if (duration.toDays() < 2) {
            return duration.toHours() + " h";
        } else {
            return duration.toDays() + " days";
        }
    }
}
