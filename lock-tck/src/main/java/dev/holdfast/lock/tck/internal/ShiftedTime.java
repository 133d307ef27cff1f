package dev.holdfast.lock.tck.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;

/**
 * The clock of a process that {@link ClockAgent} has shifted. Each method replaces one of the Java class library, and has the
 * same arguments and result.
 */
@SuppressWarnings({"JavaTimeDefaultTimeZone", "JavaUtilDate"}) // a store may use what this project does not
public final class ShiftedTime {

    private static volatile Duration shift = Duration.ZERO;

    private ShiftedTime() {}

    static void shiftBy(Duration by) {
        shift = by;
    }

    /** For {@link System#currentTimeMillis}. */
    public static long millis() {
        return System.currentTimeMillis() + shift.toMillis();
    }

    /** For {@link Instant#now()}. */
    public static Instant instant() {
        return Instant.now().plus(shift);
    }

    /** For {@link Clock#systemUTC}. */
    public static Clock utcClock() {
        return Clock.offset(Clock.systemUTC(), shift);
    }

    /** For {@link Clock#systemDefaultZone}. */
    public static Clock zoneClock() {
        return Clock.offset(Clock.systemDefaultZone(), shift);
    }

    /** For {@link Clock#system}. */
    public static Clock clock(ZoneId zone) {
        return Clock.offset(Clock.system(zone), shift);
    }

    /** For {@link LocalDateTime#now()}. */
    public static LocalDateTime local() {
        return LocalDateTime.now(zoneClock());
    }

    /** For {@link LocalDateTime#now(ZoneId)}. */
    public static LocalDateTime local(ZoneId zone) {
        return LocalDateTime.now(clock(zone));
    }

    /** For {@link OffsetDateTime#now()}. */
    public static OffsetDateTime offset() {
        return OffsetDateTime.now(zoneClock());
    }

    /** For {@link OffsetDateTime#now(ZoneId)}. */
    public static OffsetDateTime offset(ZoneId zone) {
        return OffsetDateTime.now(clock(zone));
    }

    /** For {@link ZonedDateTime#now()}. */
    public static ZonedDateTime zoned() {
        return ZonedDateTime.now(zoneClock());
    }

    /** For {@link ZonedDateTime#now(ZoneId)}. */
    public static ZonedDateTime zoned(ZoneId zone) {
        return ZonedDateTime.now(clock(zone));
    }

    /** For {@link Calendar#getInstance()}. */
    public static Calendar calendar() {
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(millis());
        return calendar;
    }

    /** For {@link Date#Date()} by a method reference. */
    public static Date date() {
        return new Date(millis());
    }
}
