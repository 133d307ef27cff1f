package dev.holdfast.lock.cli.text;

import java.lang.Character.UnicodeScript;

/** How wide a terminal shows a text, in columns. Not exact for each of Unicode's corners: then a column is off by a little. */
final class Width {

    private static final int FIRST_PICTURE = 0x1F300;
    private static final int LAST_PICTURE = 0x1FAFF;

    private Width() {}

    static int of(String text) {
        return text.codePoints().map(Width::of).sum();
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
        return (codePoint >= FIRST_PICTURE && codePoint <= LAST_PICTURE)
                || switch (UnicodeScript.of(codePoint)) {
                    case HAN, HIRAGANA, KATAKANA, HANGUL -> true;
                    default -> false;
                };
    }
}
