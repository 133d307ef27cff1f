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
        Duration ago = Duration.between(instant, clock.instant());
        return at(instant) + (ago.toSeconds() < 1 ? " (just now)" : " (" + rough(ago) + " ago)");
    }

    /** A future instant, such as {@code 15:02:03 (in 12 min)}. */
    public String future(Instant instant) {
        Duration left = Duration.between(clock.instant(), instant);
        return at(instant) + (left.toSeconds() < 1 ? " (now)" : " (in " + rough(left) + ")");
    }

    private String at(Instant instant) {
        ZonedDateTime local = instant.atZone(zone);
        ZonedDateTime now = clock.instant().atZone(zone);
        if (local.getYear() != now.getYear()) {
            return local.format(ANOTHER_YEAR);
        }
        return local.format(local.getDayOfYear() == now.getDayOfYear() ? TODAY : THIS_YEAR);
    }

    /** The duration in the unit that leaves about two digits. */
    private static String rough(Duration duration) {
        if (duration.toMinutes() < 2) {
            return duration.toSeconds() + " s";
        } else if (duration.toHours() < 2) {
            return duration.toMinutes() + " min";
        } else if (duration.toDays() < 2) {
            return duration.toHours() + " h";
        } else {
            return duration.toDays() + " days";
        }
    }
}
