package dev.holdfast.lock.cli.output;

import java.util.Locale;

/**
 * Text that another party chose, such as a lock's name. Characters that a terminal would obey or not show are written as
 * {@code \}{@code uXXXX}, by UTF-16 units as in JSON and Java.
 */
public final class EscapedText {

    private EscapedText() {}

    /** A name or value, unambiguously: a backslash is doubled, and spaces at both ends are escaped. */
    public static String ofName(String text) {
        String doubled = text.replace("\\", "\\\\");
        int start = 0;
        int end = doubled.length();
        while (start < end && Character.isSpaceChar(doubled.charAt(start))) {
            start++;
        }
        while (end > start && Character.isSpaceChar(doubled.charAt(end - 1))) {
            end--;
        }
        return escapeAll(doubled.substring(0, start))
                + ofMessage(doubled.substring(start, end))
                + escapeAll(doubled.substring(end));
    }

    /** A message, whose backslashes stay as they are. */
    public static String ofMessage(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(codePoint -> {
            if (isUnsafe(codePoint)) {
                shown.append(escapeAll(Character.toString(codePoint)));
            } else {
                shown.appendCodePoint(codePoint);
            }
        });
        return shown.toString();
    }

    /**
     * Whether a terminal obeys the character or does not show it: controls, direction overrides and other invisible characters,
     * line separators, unpaired surrogates, and characters without an agreed shape.
     */
    static boolean isUnsafe(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    static String escapeAll(String text) {
        StringBuilder escapes = new StringBuilder();
        text.chars().forEach(unit -> escapes.append(String.format(Locale.ROOT, "\\u%04X", unit)));
        return escapes.toString();
    }
}
