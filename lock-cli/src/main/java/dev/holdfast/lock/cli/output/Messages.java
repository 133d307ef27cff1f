package dev.holdfast.lock.cli.output;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/**
 * Messages of {@code lock} itself. They go to standard error, so that standard output carries only the command's output, or the
 * requested data.
 *
 * @param err standard error
 */
public record Messages(PrintStream err) {

    /** Prints one line that names {@code lock} as its source, without characters that a terminal would obey. */
    public void print(@Nullable String message) {
        String line = String.valueOf(message).strip().replaceAll("\\s*\\R\\s*", "; ");
        err.println("lock: " + EscapedText.ofMessage(line));
        err.flush();
    }
}
