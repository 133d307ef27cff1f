package dev.holdfast.lock.cli;

import java.nio.charset.Charset;

/**
 * Text that the system passed to Java as bytes: arguments, variables and paths. Java decodes them by the locale and puts U+FFFD
 * in place of each byte that is not part of a character, so that different texts become the same.
 */
final class LocaleText {

    private static final char REPLACEMENT = '\uFFFD';

    private LocaleText() {}

    /** Whether a part of the text is lost. */
    static boolean isDamaged(String text) {
        return text.indexOf(REPLACEMENT) >= 0;
    }

    /** The problem with a damaged text and its remedy, as the end of a sentence about the text. */
    static String describe(String text) {
        String charset =
                System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name());
        return "'" + text + "' is not text in this locale, whose characters are " + charset
                + ", and Java would mistake it for another: "
                + (charset.equals("UTF-8") ? "give it in UTF-8" : "set LC_ALL=C.UTF-8, if it is UTF-8");
    }
}
