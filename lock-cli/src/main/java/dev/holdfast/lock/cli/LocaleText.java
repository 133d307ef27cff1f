package dev.holdfast.lock.cli;

import java.nio.charset.Charset;

/**
 * Text that the system gave to Java as bytes: arguments, variables and paths. Java decodes them by the locale and puts U+FFFD in
 * place of each byte that is none of its characters, so that different texts become the same.
 */
final class LocaleText {

    private static final char REPLACEMENT = '\uFFFD';

    private LocaleText() {}

    /** Whether a part of the text is lost. */
    static boolean isDamaged(String text) {
        return text.indexOf(REPLACEMENT) >= 0;
    }

    /** What is wrong with a damaged text, and what to do, as the rest of a sentence about it. */
    static String describe(String text) {
        String charset =
                System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name());
        return "'" + text + "' is not text in this locale, whose characters are " + charset
                + ", and Java would take another one for it: "
                + (charset.equals("UTF-8") ? "give it in UTF-8" : "set LC_ALL=C.UTF-8, if it is UTF-8");
    }
}
