package dev.holdfast.lock.jdbc.database;

import java.time.Duration;

/** What a database can hold of what a step may say. */
public final class Limits {

    private static final int OWNER_LENGTH = 255;

    private Limits() {}

    /** Whole microseconds: rounded down, but not to nothing. */
    public static long micros(Duration duration) {
        return duration.isZero() ? 0 : Math.max(1, duration.toNanos() / 1_000);
    }

    /** What an owner says of itself, without what no SQL text holds: it is for people, and must not spoil a batch. */
    public static String owner(String owner) {
        int end = owner.length() <= OWNER_LENGTH ? owner.length() : OWNER_LENGTH;
        StringBuilder text = new StringBuilder(end);
        owner.substring(0, end).codePoints().forEach(each -> text.appendCodePoint(isText(each) ? each : '?'));
        return text.toString();
    }

    private static boolean isText(int codePoint) {
        return codePoint != 0 && !(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    }
}
