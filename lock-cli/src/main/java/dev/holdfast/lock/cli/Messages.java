package dev.holdfast.lock.cli;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** What {@code lock} says itself: a line each, on standard error, so that standard output is the command's alone. */
final class Messages {

    private final PrintStream to;

    Messages(PrintStream to) {
        this.to = to;
    }

    void say(@Nullable String message) {
        to.println("lock: " + String.valueOf(message).strip().replaceAll("\\s*\\R\\s*", "; "));
        to.flush();
    }
}
