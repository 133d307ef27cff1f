package dev.holdfast.lock.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Says why a command cannot start, by looking for it where the system does. */
final class Lookup {

    /** "error=2, No such file" up to some JDK, "error: 2 (No such file)" from then on. */
    private static final Pattern ERROR = Pattern.compile(".*error(?:=\\d+, |: \\d+ \\()(.*?)\\)?\\s*", Pattern.DOTALL);

    private Lookup() {}

    /**
     * What a shell would say.
     *
     * @param path the value of PATH
     */
    static CannotRunException explain(String command, String path, IOException failure) {
        for (Path place : places(command, path)) {
            if (Files.isDirectory(place)) {
                if (command.contains("/")) {
                    return CannotRunException.notExecutable(command, "is a directory", failure);
                }
            } else if (Files.exists(place)) {
                return CannotRunException.notExecutable(command, reason(place, failure), failure);
            }
        }
        return CannotRunException.notFound(command, failure);
    }

    /**
     * Looks before anything is done for the command's sake.
     *
     * @param path the value of PATH
     * @throws CannotRunException if nothing can be executed; if something can, it may still fail to start
     */
    static void require(String command, String path) throws CannotRunException {
        try {
            if (places(command, path).stream()
                    .anyMatch(place -> Files.isExecutable(place) && !Files.isDirectory(place))) {
                return;
            }
        } catch (InvalidPathException notInThisLocale) {
            // The system may still find what Java cannot name.
            return;
        }
        throw explain(command, path, new NoSuchFileException(command));
    }

    private static List<Path> places(String command, String path) {
        return command.contains("/")
                ? List.of(Path.of(command))
                : Stream.of(path.split(":", -1))
                        .map(folder -> Path.of(folder, command))
                        .toList();
    }

    private static String reason(Path place, IOException failure) {
        if (!Files.isExecutable(place)) {
            return "is not executable";
        }
        String message = String.valueOf(failure.getMessage());
        Matcher error = ERROR.matcher(message);
        String cause = error.matches() ? error.group(1) : message;
        return cause.startsWith("No such file") ? "its interpreter is not found" : cause;
    }
}
