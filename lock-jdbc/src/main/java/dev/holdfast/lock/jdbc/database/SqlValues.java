package dev.holdfast.lock.jdbc.database;

import java.time.Duration;

/** Values of commands in the form that database columns hold. */
public final class SqlValues {

    private static final int MAX_TEXT_LENGTH = 255;

    private SqlValues() {}

    /** Whole microseconds: rounded down, but not to zero. */
    public static long micros(Duration duration) {
        return duration.isZero() ? 0 : Math.max(1, duration.toNanos() / 1_000);
    }

    /** A description for people, without characters that SQL text cannot hold: one of them would fail a whole batch. */
    public static String text(String description) {
        int end = Math.min(description.length(), MAX_TEXT_LENGTH);
        StringBuilder text = new StringBuilder(end);
        description.substring(0, end).codePoints().forEach(each -> text.appendCodePoint(isText(each) ? each : '?'));
        return text.toString();
    }

    private static boolean isText(int codePoint) {
        return codePoint != 0 && !(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    }
}
