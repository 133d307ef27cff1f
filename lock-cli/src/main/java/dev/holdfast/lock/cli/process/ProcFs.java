package dev.holdfast.lock.cli.process;

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

/**
 * Linux's {@code /proc}. On other systems everything read here is empty. A process that ends during a read is left out.
 */
final class ProcFs {

    private static final Path PROC = Path.of("/proc");

    /** The signals that a process ignores, as a hexadecimal number whose lowest bit is signal 1. */
    private static final String IGNORED = "SigIgn:";

    private ProcFs() {}

    /** One line of {@code /proc/PID/stat}; fields are counted from 1, as in proc(5). */
    record Stat(List<String> fromThird) {

        private String field(int number) {
            return fromThird.get(number - 3);
        }

        boolean isZombie() {
            return field(3).equals("Z") || field(3).equals("X");
        }

        String group() {
            return field(5);
        }

        /** The process group in the foreground of the process's terminal; -1 without a terminal. */
        String foregroundGroup() {
            return field(8);
        }

        /** The start time in ticks since boot, which distinguishes the process from a later one with the same pid. */
        String startTime() {
            return field(22);
        }
    }

    static Optional<Stat> stat(String pid) {
        // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
        return read(pid, "stat")
                .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                .filter(line -> line.contains(") "))
                .map(line -> new Stat(
                        List.of(line.substring(line.lastIndexOf(") ") + 2).split(" "))));
    }

    /**
     * Whether a terminal that sent an INT to this process sent it to the child as well: a terminal signals every process of its
     * foreground group. An INT sent by {@code kill} cannot be told apart and is then not forwarded. False on other systems.
     */
    static boolean sharesTerminal(Process child) {
        Optional<Stat> own = stat("self");
        Optional<Stat> other = stat(Long.toString(child.pid()));
        return own.isPresent()
                && other.isPresent()
                && own.get().group().equals(own.get().foregroundGroup())
                && own.get().group().equals(other.get().group());
    }

    /** Whether this process was started with a signal ignored: a handler would end that for the command, too. */
    static boolean ignores(int signal) {
        return read("self", "status")
                .map(bytes -> new String(bytes, StandardCharsets.ISO_8859_1))
                .flatMap(status ->
                        status.lines().filter(line -> line.startsWith(IGNORED)).findFirst())
                .filter(line ->
                        (Long.parseUnsignedLong(line.substring(IGNORED.length()).strip(), 16) >>> (signal - 1) & 1)
                                == 1)
                .isPresent();
    }

    /** The processes whose environment carries this run id. */
    static List<Long> marked(RunId run) {
        List<Long> marked = new ArrayList<>();
        if (!Files.isDirectory(PROC)) {
            return marked;
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                String pid = process.getFileName().toString();
                if (read(pid, "environ").filter(run::marks).isPresent()) {
                    marked.add(Long.valueOf(pid));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw new UncheckedIOException("cannot read " + PROC, new IOException(e));
        }
        return marked;
    }

    private static Optional<byte[]> read(String pid, String file) {
        try {
            return Optional.of(Files.readAllBytes(PROC.resolve(pid).resolve(file)));
        } catch (IOException endedOrForeign) {
            // The process has ended, or it belongs to another user and may not be read.
            return Optional.empty();
        }
    }
}
