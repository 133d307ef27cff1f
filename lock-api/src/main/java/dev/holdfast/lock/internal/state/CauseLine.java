package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.support.Redactor;
import java.util.regex.Pattern;

/** The cause of a failure as the log and exceptions show it. */
public final class CauseLine {

    private static final String HOLDFAST = "dev.holdfast.lock.";
    private static final Pattern LINE_BREAKS = Pattern.compile("\\s*\\R\\s*");

    private CauseLine() {}

    /**
     * In one line, without secrets; with its class, unless Holdfast itself has worded it for people. Never fails, as a transition goes on
     * with the text: of a failure without one, its class.
     */
    public static String of(Throwable cause) {
        try {
            String message = cause.getClass().getName().startsWith(HOLDFAST) ? cause.getMessage() : null;
            String text = message != null ? message : String.valueOf(cause);
            return LINE_BREAKS.matcher(Redactor.redact(text)).replaceAll(" ");
        } catch (RuntimeException | Error e) { // it makes its text by itself, or there is no memory for it
            return cause.getClass().getName();
        }
    }
}
