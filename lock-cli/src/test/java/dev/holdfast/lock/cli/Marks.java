package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The marks that the members of {@code family.sh} leave in one file, and who of them lives. */
final class Marks {

    private final Path script;
    private final Path file;
    private final Path cleared;

    Marks(Path folder) throws IOException {
        script = folder.resolve("family.sh");
        file = Files.createFile(folder.resolve("marks"));
        cleared = folder.resolve("cleared.sh");
        try (InputStream text = Marks.class.getResourceAsStream("/family.sh")) {
            Files.write(script, text.readAllBytes());
        }
    }

    /** Adds the command to a run. */
    ProcessBuilder by(ProcessBuilder run) {
        run.command().addAll(List.of("--", "sh", script.toString()));
        run.environment().put("MARKS", file.toString());
        return run;
    }

    /**
     * Adds a command whose only child has cleared its environment and ignores TERM: when the command has ended, nothing tells
     * any more whose child that was.
     */
    ProcessBuilder byCleared(ProcessBuilder run) throws IOException {
        Files.writeString(cleared, """
                trap '' TERM
                while :; do echo "$1 cleared -" >>"$2"; sleep 0.01; done
                """);
        run.command()
                .addAll(List.of(
                        "--",
                        "sh",
                        "-c",
                        "env -i PATH=\"$PATH\" sh " + cleared + " \"$HOLDFAST_TOKEN\" \"$MARKS\"; echo end"));
        run.environment().put("MARKS", file.toString());
        return run;
    }

    Path file() {
        return file;
    }

    /** The lines, as token, role and run. */
    List<String[]> all() throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.split(" ")).toList();
        }
    }

    /** Under how many grants marks were left. */
    int tokens() throws IOException {
        return (int) all().stream().map(mark -> mark[0]).distinct().count();
    }

    boolean by(String role) throws IOException {
        return all().stream().anyMatch(mark -> mark[1].equals(role));
    }

    void awaitWholeFamily(Launched of) throws Exception {
        of.await("marks of the whole family", () -> by("root") && by("stubborn") && by("orphan"));
    }

    /** Later marks carry the same or a later token: nobody outlived the next one's grant. */
    void assertInOrder() throws IOException {
        long last = 0;
        for (String[] mark : all()) {
            long token = Long.parseLong(mark[0]);
            assertThat(token)
                    .as("a mark of %s after one under token %d", String.join(" ", mark), last)
                    .isGreaterThanOrEqualTo(last);
            last = token;
        }
    }

    /** Members of the family, and the launchers and watchers of their runs, that live. */
    List<String> alive() throws IOException {
        List<String> alive = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (read(process.resolve("environ")).contains("MARKS=" + file + "\0")
                        || read(process.resolve("cmdline")).contains(cleared + "\0")) {
                    alive.add(process.getFileName() + " "
                            + read(process.resolve("cmdline")).replace('\0', ' '));
                }
            }
        }
        return alive;
    }

    void kill() throws IOException {
        for (String process : alive()) {
            ProcessHandle.of(Long.parseLong(process.substring(0, process.indexOf(' '))))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }
}
