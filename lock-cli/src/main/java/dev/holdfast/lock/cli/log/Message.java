package dev.holdfast.lock.cli.log;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** The one form of everything that {@code lock} itself says. */
public final class Message {

    private Message() {}

    /** Prints it as one line that says who speaks. */
    public static void say(PrintStream to, @Nullable String text) {
        to.println("lock: " + String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", "; "));
        to.flush();
    }
}
