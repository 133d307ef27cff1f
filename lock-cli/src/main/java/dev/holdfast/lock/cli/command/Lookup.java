package dev.holdfast.lock.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Explains why a command did not start, by looking for it where the system did. */
final class Lookup {

    private static final Pattern ERROR = Pattern.compile(".*error=\\d+, ", Pattern.DOTALL);

    private Lookup() {}

    /**
     * What a shell would say.
     *
     * @param path the value of PATH
     */
    static CannotRunException explain(String command, String path, IOException failure) {
        List<Path> places = command.contains("/")
                ? List.of(Path.of(command))
                : Stream.of(path.split(":", -1))
                        .map(folder -> Path.of(folder, command))
                        .toList();
        for (Path place : places) {
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

    private static String reason(Path place, IOException failure) {
        if (!Files.isExecutable(place)) {
            return "is not executable";
        }
        String message = String.valueOf(failure.getMessage());
        String cause = ERROR.matcher(message).replaceFirst("");
        return cause.startsWith("No such file") ? "its interpreter is not found" : cause;
    }
}
