package dev.holdfast.lock.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What Linux tells about processes under {@code /proc}; elsewhere nothing. A process that ends meanwhile is left out. */
final class ProcessTable {

    private static final Path PROC = Path.of("/proc");

    private ProcessTable() {}

    /** One line of {@code /proc/PID/stat}; fields are counted from 1, as proc(5) does. */
    record Stat(List<String> fromThird) {

        private String field(int number) {
            return fromThird.get(number - 3);
        }

        boolean zombie() {
            return field(3).equals("Z") || field(3).equals("X");
        }

        String group() {
            return field(5);
        }

        /** The process group in the foreground of the process's terminal; -1 without a terminal. */
        String foreground() {
            return field(8);
        }

        /** When the process started, in ticks since boot: tells it from a later one with its number. */
        String started() {
            return field(22);
        }
    }

    static Optional<Stat> stat(String process) {
        // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
        return read(process, "stat")
                .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                .filter(line -> line.contains(") "))
                .map(line -> new Stat(
                        List.of(line.substring(line.lastIndexOf(") ") + 2).split(" "))));
    }

    /** The processes whose environment is marked with this run. */
    static List<Long> marked(RunId run) {
        List<Long> marked = new ArrayList<>();
        if (!Files.isDirectory(PROC)) {
            return marked;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                String id = process.getFileName().toString();
                if (read(id, "environ").filter(run::marks).isPresent()) {
                    marked.add(Long.valueOf(id));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new UncheckedIOException("cannot read " + PROC, new IOException(e));
        }
        return marked;
    }

    private static Optional<byte[]> read(String process, String file) {
        try {
            return Optional.of(Files.readAllBytes(PROC.resolve(process).resolve(file)));
        } catch (IOException ended) {
            // Or it belongs to somebody else, who does not let us look.
            return Optional.empty();
        }
    }
}
