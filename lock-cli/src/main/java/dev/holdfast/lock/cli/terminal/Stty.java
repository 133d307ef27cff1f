package dev.holdfast.lock.cli.terminal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The settings of the terminal at standard input, by the command {@code stty} that POSIX requires: Java has no call for them. */
final class Stty {

    private Stty() {}

    /** Whether standard input and output are a terminal that obeys more than text. */
    static boolean isTerminal() throws IOException, InterruptedException {
        String kind = System.getenv().getOrDefault("TERM", "dumb");
        return !kind.equals("dumb")
                && new ProcessBuilder("/bin/sh", "-c", "[ -t 0 ] && [ -t 1 ]")
                                .inheritIO()
                                .start()
                                .waitFor()
                        == 0;
    }

    /** All settings, as one word that {@link #set} takes. */
    static String settings() throws IOException, InterruptedException {
        return run("-g").strip();
    }

    /** Changes settings. */
    static void set(String... settings) throws IOException, InterruptedException {
        run(settings);
    }

    /** The rows and columns; 24 and 80 where the terminal does not know them. */
    static Size size() throws IOException, InterruptedException {
        String[] words = run("size").strip().split(" ", -1);
        int rows = Integer.parseInt(words[0]);
        int columns = Integer.parseInt(words[1]);
        return new Size(rows > 0 ? rows : 24, columns > 0 ? columns : 80);
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("stty"));
        words.addAll(List.of(arguments));
        Process stty = new ProcessBuilder(words)
                .redirectInput(Redirect.INHERIT)
                .redirectErrorStream(true)
                .start();
        String output = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (stty.waitFor() != 0) {
            throw new IOException("stty failed: " + output.strip());
        }
        return output;
    }

    /** The size of a terminal. */
    record Size(int rows, int columns) {}
}
