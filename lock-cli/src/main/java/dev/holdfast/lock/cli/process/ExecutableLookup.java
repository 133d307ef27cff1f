package dev.holdfast.lock.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds out why a command cannot start, by searching PATH as the system does. */
final class ExecutableLookup {

    /** The JDK's text: "error=2, No such file" in older versions, "error: 2 (No such file)" in newer ones. */
    private static final Pattern ERROR = Pattern.compile(".*error(?:=\\d+, |: \\d+ \\()(.*?)\\)?\\s*", Pattern.DOTALL);

    private ExecutableLookup() {}

    /**
     * Turns the JDK's failure to start a command into the message of a shell.
     *
     * @param path the value of PATH
     */
    static CommandStartException explain(String command, String path, IOException failure) {
        for (Path candidate : candidates(command, path)) {
            if (Files.isDirectory(candidate)) {
                if (command.contains("/")) {
                    return CommandStartException.notExecutable(command, "is a directory", failure);
                }
            } else if (Files.exists(candidate)) {
                return CommandStartException.notExecutable(command, reason(candidate, failure), failure);
            }
        }
        return CommandStartException.notFound(command, failure);
    }

    /**
     * Checks for an executable file without starting it.
     *
     * @param path the value of PATH
     * @throws CommandStartException if there is no such executable; one that is found may still fail to start
     */
    static void require(String command, String path) throws CommandStartException {
        try {
            if (executable(command, path).isPresent()) {
                return;
            }
        } catch (InvalidPathException notInThisLocale) {
            // The system may find a file whose name Java cannot represent in this locale.
            return;
        }
        throw explain(command, path, new NoSuchFileException(command));
    }

    /**
     * The file that the system executes; empty if there is none.
     *
     * @throws InvalidPathException if the name of the command is not text in this locale
     */
    static Optional<Path> executable(String command, String path) {
        return candidates(command, path).stream()
                .filter(candidate -> Files.isExecutable(candidate) && !Files.isDirectory(candidate))
                .findFirst();
    }

    private static List<Path> candidates(String command, String path) {
        return command.contains("/")
                ? List.of(Path.of(command))
                : Stream.of(path.split(":", -1))
                        .map(folder -> Path.of(folder, command))
                        .toList();
    }

    private static String reason(Path candidate, IOException failure) {
        if (!Files.isExecutable(candidate)) {
            return "is not executable";
        }
        String message = String.valueOf(failure.getMessage());
        Matcher error = ERROR.matcher(message);
        String cause = error.matches() ? error.group(1) : message;
        return cause.startsWith("No such file") ? "its interpreter is not found" : cause;
    }
}
