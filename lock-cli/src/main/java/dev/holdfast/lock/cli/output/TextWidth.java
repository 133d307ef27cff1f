package dev.holdfast.lock.cli.output;

import java.lang.Character.UnicodeScript;

/** The columns in which a terminal shows a text; off by a little in some corners of Unicode. */
public final class TextWidth {

    private static final int FIRST_EMOJI = 0x1F300;
    private static final int LAST_EMOJI = 0x1FAFF;
    private static final String ELLIPSIS = "…";

    private TextWidth() {}

    /** The number of columns. */
    static int of(String text) {
        return text.codePoints().map(TextWidth::of).sum();
    }

    /** The text if it fits into so many columns, or else its beginning and an ellipsis. */
    public static String cut(String text, int columns) {
        if (of(text) <= columns) {
            return text;
        }
        StringBuilder cut = new StringBuilder();
        int room = columns - of(ELLIPSIS);
        for (int i = 0; i < text.length(); ) {
            int codePoint = text.codePointAt(i);
            room -= of(codePoint);
            if (room < 0) {
                break;
            }
            cut.appendCodePoint(codePoint);
            i += Character.charCount(codePoint);
        }
        return cut + ELLIPSIS;
    }

    private static int of(int codePoint) {
        int type = Character.getType(codePoint);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        return isWide(codePoint) ? 2 : 1;
    }

    private static boolean isWide(int codePoint) {
        if (codePoint < 0x1100) {
            return false;
        }
        return (codePoint >= FIRST_EMOJI && codePoint <= LAST_EMOJI)
                || switch (UnicodeScript.of(codePoint)) {
                    case HAN, HIRAGANA, KATAKANA, HANGUL -> true;
                    default -> false;
                };
    }
}
