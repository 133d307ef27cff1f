package dev.holdfast.lock.cli;

import dev.holdfast.lock.cli.log.Message;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** What {@code lock} says itself: on standard error, so that standard output is the command's alone. */
final class Messages {

    private final PrintStream to;

    Messages(PrintStream to) {
        this.to = to;
    }

    void say(@Nullable String message) {
        Message.say(to, message);
    }
}
