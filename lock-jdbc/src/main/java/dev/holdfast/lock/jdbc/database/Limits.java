package dev.holdfast.lock.jdbc.database;

import java.time.Duration;

/** What a database can hold of what a step may say. */
public final class Limits {

    private static final int TEXT_LENGTH = 255;

    private Limits() {}

    /** Whole microseconds: rounded down, but not to nothing. */
    public static long micros(Duration duration) {
        return duration.isZero() ? 0 : Math.max(1, duration.toNanos() / 1_000);
    }

    /** What is for people, such as what an owner says of itself, without what no SQL text holds: it must not spoil a batch. */
    public static String text(String said) {
        int end = said.length() <= TEXT_LENGTH ? said.length() : TEXT_LENGTH;
        StringBuilder text = new StringBuilder(end);
        said.substring(0, end).codePoints().forEach(each -> text.appendCodePoint(isText(each) ? each : '?'));
        return text.toString();
    }

    private static boolean isText(int codePoint) {
        return codePoint != 0 && !(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
    }
}
