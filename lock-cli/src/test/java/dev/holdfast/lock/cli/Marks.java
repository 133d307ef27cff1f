package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Hold;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The marks that commands under locks of one name leave in one file, each a line of token, role and run. The order of the lines is
 * the order in which the marks were left: a hold lasts from the first mark of a run to its last.
 */
final class Marks {

    private static final String WATCHER = "lock-watcher";

    private final Path script;
    private final Path file;

    Marks(Path folder) throws IOException {
        script = folder.resolve("family.sh");
        file = Files.createFile(folder.resolve("marks"));
        try (InputStream text = Marks.class.getResourceAsStream("/family.sh")) {
            Files.write(script, text.readAllBytes());
        }
    }

    /** By which {@link #alive} finds a launcher and its watcher before there is a mark. */
    ProcessBuilder sign(ProcessBuilder launcher) {
        launcher.environment().put("MARKS", file.toString());
        return launcher;
    }

    /** A command that starts what is hard to end: see {@code family.sh}. Each member leaves marks for as long as it lives. */
    List<String> family() {
        return List.of("/bin/sh", script.toString(), file.toString(), "root");
    }

    /**
     * A command whose only child has cleared its environment and ignores TERM: when the command has ended, nothing tells any more
     * whose child that was.
     */
    List<String> cleared() {
        String clear = "env -i PATH=\"$PATH\" sh \"$0\" \"$1\" cleared \"$HOLDFAST_TOKEN\" \"$HOLDFAST_RUN\"; echo end";
        return List.of("/bin/sh", "-c", clear, script.toString(), file.toString());
    }

    /** A command that leaves marks for a while. */
    List<String> briefly() {
        return List.of("/bin/sh", script.toString(), file.toString(), "brief");
    }

    private List<String[]> all() throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.split(" ")).toList();
        }
    }

    boolean by(String role) throws IOException {
        return all().stream().anyMatch(mark -> mark[1].equals(role));
    }

    boolean byWholeFamily() throws IOException {
        return by("root") && by("stubborn") && by("orphan");
    }

    /** The holds that the marks tell of, on the clock of the lines; each run holds once. */
    List<Hold> holds() throws IOException {
        Map<String, Hold> holds = new LinkedHashMap<>();
        long line = 0;
        for (String[] mark : all()) {
            String run = mark[2].substring(mark[2].lastIndexOf(':') + 1);
            Hold now = new Hold(run, file.toString(), Long.parseLong(mark[0]), line, line);
            holds.merge(
                    run,
                    now,
                    (first, last) -> new Hold(last.holder(), last.name(), last.token(), first.from(), last.until()));
            line++;
        }
        return List.copyOf(holds.values());
    }

    /** The marks of one run come after all of another one's, and under a greater token. */
    void verify(int least) throws IOException {
        assertThat(History.violations(holds())).isEmpty();
        assertThat(holds()).hasSizeGreaterThanOrEqualTo(least);
    }

    /** When the last mark was left. */
    Instant last() throws IOException {
        return Files.getLastModifiedTime(file).toInstant();
    }

    /** Waits until no member of a family lives, nor the launcher of its run. */
    void awaitNobody() {
        awaitNone("members and launchers", this::members);
    }

    /** A watcher goes after its run; one that was never told which process is the command looks for it until the lease is over. */
    void awaitNoWatcher() {
        awaitNone("watchers", this::alive);
    }

    private static void awaitNone(String what, Callable<List<String>> alive) {
        Await.until("no " + what, () -> {
            boolean none = alive.call().isEmpty();
            if (!none) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // to look is much work
            }
            return none;
        });
    }

    /** The members of the families and the launchers of their runs that live. */
    List<String> members() throws IOException {
        return alive().stream().filter(process -> !process.endsWith(WATCHER)).toList();
    }

    /** The same with the watchers of the runs. */
    private List<String> alive() throws IOException {
        List<String> signs = new ArrayList<>(List.of(file.toString()));
        holds().forEach(hold -> signs.add(hold.holder()));
        List<String> alive = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                String command = read(process.resolve("cmdline")).replace('\0', ' ');
                String known = command + read(process.resolve("environ"));
                if (signs.stream().anyMatch(known::contains)) {
                    String name = command.contains(WATCHER) ? WATCHER : command;
                    alive.add(process.getFileName() + " " + name);
                }
            }
        }
        return alive;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return "";
        }
    }

    /** A test that failed has not shown that all have ended. */
    void kill() throws IOException {
        for (String process : alive()) {
            ProcessHandle.of(Long.parseLong(process.substring(0, process.indexOf(' '))))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
