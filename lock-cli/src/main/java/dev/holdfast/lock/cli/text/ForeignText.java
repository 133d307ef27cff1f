package dev.holdfast.lock.cli.text;

/**
 * Text that somebody else chose, such as a lock's name: what a terminal would obey instead of showing it, or what nobody
 * would see, is written as {@code \}{@code uXXXX}, by UTF-16 units as in JSON and Java.
 */
public final class ForeignText {

    private ForeignText() {}

    /** The text so that nothing in it can pass for an escape or be overlooked: a backslash is doubled, a space at an end seen. */
    public static String of(String text) {
        String doubled = text.replace("\\", "\\\\");
        int start = 0;
        int end = doubled.length();
        while (start < end && Character.isSpaceChar(doubled.charAt(start))) {
            start++;
        }
        while (end > start && Character.isSpaceChar(doubled.charAt(end - 1))) {
            end--;
        }
        return escaped(doubled.substring(0, start))
                + visible(doubled.substring(start, end))
                + escaped(doubled.substring(end));
    }

    /** The text with all of it to be seen; a backslash may be one of the text's. */
    public static String visible(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(codePoint -> {
            if (isUnsafe(codePoint)) {
                shown.append(escaped(Character.toString(codePoint)));
            } else {
                shown.appendCodePoint(codePoint);
            }
        });
        return shown.toString();
    }

    /**
     * Whether a terminal obeys this, or shows nothing of it: controls, overrides of the direction and other invisible
     * characters, separators of lines, halves of a pair, and what has no shape that all agree on.
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

    /** All of it as escapes. */
    static String escaped(String text) {
        StringBuilder escapes = new StringBuilder();
        text.chars().forEach(unit -> escapes.append(String.format("\\u%04X", unit)));
        return escapes.toString();
    }
}
