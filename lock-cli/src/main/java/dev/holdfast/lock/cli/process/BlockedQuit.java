package dev.holdfast.lock.cli.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Java before 25 starts every process with SIGQUIT blocked, for the process and all its descendants. GNU's {@code env} unblocks it
 * and becomes the command. Where there is no such {@code env} the signal stays blocked.
 */
final class BlockedQuit {

    private static final int FIRST_JAVA_WITHOUT = 25;
    private static final String ENV = "/usr/bin/env";
    private static final List<String> UNBLOCKING = List.of(ENV, "--default-signal=QUIT", "--");

    private BlockedQuit() {}

    /**
     * The words that start the command with the signal unblocked. Returns the same words if that is unnecessary or impossible, or
     * if the command cannot start: Java then reports why.
     *
     * @param path the value of PATH
     */
    static List<String> unblocked(List<String> words, String path) {
        String command = words.get(0);
        if (Runtime.version().feature() >= FIRST_JAVA_WITHOUT
                || command.contains("=") // an assignment, for env
                || !Files.isExecutable(Path.of(ENV))
                || !ExecutableLookup.executable(command, path)
                        .filter(BlockedQuit::hasInterpreter)
                        .isPresent()
                || !isSupported()) {
            return words;
        }
        List<String> all = new ArrayList<>(UNBLOCKING);
        all.addAll(words);
        return all;
    }

    /** Whether a script's interpreter exists; true for a program. */
    private static boolean hasInterpreter(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            char[] start = new char[256]; // as much of the line as Linux reads
            int length = reader.read(start);
            String text = length < 0 ? "" : new String(start, 0, length);
            if (!text.startsWith("#!")) {
                return true;
            }
            Optional<String> interpreter = text.substring(2)
                    .lines()
                    .findFirst()
                    .map(line -> line.strip().split("[ \t]", 2)[0]);
            return interpreter.isPresent() && Files.isExecutable(Path.of(interpreter.get()));
        } catch (IOException mayBeRunThoughNotRead) {
            return true;
        }
    }

    private static boolean isSupported() {
        List<String> words = new ArrayList<>(UNBLOCKING);
        words.add(ENV);
        try {
            return new ProcessBuilder(words)
                            .redirectOutput(Redirect.DISCARD)
                            .redirectError(Redirect.DISCARD)
                            .start()
                            .onExit()
                            .join()
                            .exitValue()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
