package dev.holdfast.lock.cli.log;

import dev.holdfast.lock.cli.text.ForeignText;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** The one form of everything that {@code lock} itself says. */
public final class Message {

    private Message() {}

    /** Prints it as one line that says who speaks; a terminal obeys nothing of it. */
    public static void say(PrintStream to, @Nullable String text) {
        String line = String.valueOf(text).strip().replaceAll("\\s*\\R\\s*", "; ");
        to.println("lock: " + ForeignText.visible(line));
        to.flush();
    }
}
