package dev.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Commands that obey SIGINT, SIGHUP and SIGTERM. A build in the background ignores SIGINT, a build under nohup ignores SIGHUP, and
 * its child processes inherit that: neither a shell nor a JVM receives such a signal then.
 */
public final class Obedient {

    private static final List<String> SIGNALS = List.of("INT", "HUP", "TERM");

    private static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal=" + String.join(",", SIGNALS));

    private static final boolean IS_NEEDED = SIGNALS.stream().anyMatch(Obedient::isIgnored);

    private static final boolean IS_KNOWN = succeeds(with("true"));

    private Obedient() {}

    /**
     * The command with default signal handling, or unchanged if no signal is ignored.
     *
     * @throws org.opentest4j.TestAbortedException if signals are ignored and env cannot change that
     */
    public static List<String> command(List<String> words) {
        if (!IS_NEEDED) {
            return words;
        }
        Assumptions.assumeTrue(
                IS_KNOWN, "signals are ignored here, and env knows no --default-signal (coreutils 8.31) to undo that");
        return with(words.toArray(String[]::new));
    }

    /** A shell that ignores a signal outlives it. */
    private static boolean isIgnored(String signal) {
        return succeeds(List.of("sh", "-c", "kill -s " + signal + " $$; exit 0"));
    }

    private static List<String> with(String... words) {
        List<String> all = new ArrayList<>(DEFAULT_SIGNALS);
        all.addAll(List.of(words));
        return all;
    }

    private static boolean succeeds(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectOutput(Redirect.DISCARD)
                            .redirectError(Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
