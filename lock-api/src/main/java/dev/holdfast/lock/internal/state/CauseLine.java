package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.spi.support.Redactor;
import java.util.regex.Pattern;

/** The cause of a failure as the log and exceptions show it. */
public final class CauseLine {

    private static final Pattern LINE_BREAKS = Pattern.compile("\\s*\\R\\s*");

    private CauseLine() {}

    /** In one line, without secrets. */
    public static String of(Throwable cause) {
        String text = cause instanceof LockException && cause.getMessage() != null
                ? cause.getMessage()
                : String.valueOf(cause);
        return LINE_BREAKS.matcher(Redactor.redact(text)).replaceAll(" ");
    }
}
