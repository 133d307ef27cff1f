package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.Share;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A file to which commands under locks of one name append marks, each a line of token, role and run. The lines are in the order of
 * time: a hold lasts from the first mark of a run to its last.
 */
final class MarkFile {

    private static final String WATCHER = "lock-watcher";

    private final Path script;
    private final Path file;

    MarkFile(Path folder) throws IOException {
        script = folder.resolve("family.sh");
        file = Files.createFile(folder.resolve("marks"));
        try (InputStream text = MarkFile.class.getResourceAsStream("/family.sh")) {
            Files.write(script, text.readAllBytes());
        }
    }

    /** Lets {@link #alive} find a run and its watcher before there is a mark. */
    ProcessBuilder sign(ProcessBuilder run) {
        run.environment().put("MARKS", file.toString());
        return run;
    }

    /** A command with descendants that are hard to end: see {@code family.sh}. Each of them appends marks while it lives. */
    List<String> family() {
        return List.of("/bin/sh", script.toString(), file.toString(), "root");
    }

    /**
     * A command whose only child has cleared its environment and ignores TERM: once the command has ended, nothing links the child
     * to it any more.
     */
    List<String> cleared() {
        String clear = "env -i PATH=\"$PATH\" sh \"$0\" \"$1\" cleared \"$HOLDFAST_TOKEN\" \"$HOLDFAST_RUN\"; echo end";
        return List.of("/bin/sh", "-c", clear, script.toString(), file.toString());
    }

    /** A command that appends marks for a while. */
    List<String> briefly() {
        return briefly(Share.EXCLUSIVE);
    }

    /** The same for a run with this share of the lock, which its marks tell. */
    List<String> briefly(Share share) {
        String role = "brief:" + share.permits() + ":" + share.limit();
        return List.of("/bin/sh", script.toString(), file.toString(), role);
    }

    private List<String[]> all() throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> line.split(" ")).toList();
        }
    }

    boolean hasMark(String role) throws IOException {
        return all().stream().anyMatch(mark -> mark[1].equals(role));
    }

    boolean hasMarksOfAll() throws IOException {
        return hasMark("root") && hasMark("stubborn") && hasMark("orphan");
    }

    /** The holds that the marks record, with line numbers as time; each run holds once. */
    List<Hold> holds() throws IOException {
        Map<String, Hold> holds = new LinkedHashMap<>();
        long line = 0;
        for (String[] mark : all()) {
            String run = mark[2].substring(mark[2].lastIndexOf(':') + 1);
            Share share = share(mark[1]);
            long from = holds.containsKey(run) ? holds.get(run).from() : line;
            long asked = share.isExclusive() ? from : 0; // a command may start after that of a later grant beside it
            holds.put(run, new Hold(run, file.toString(), share, Long.parseLong(mark[0]), asked, from, line));
            line++;
        }
        return List.copyOf(holds.values());
    }

    private static Share share(String role) {
        String[] words = role.split(":", -1);
        return words.length < 3 ? Share.EXCLUSIVE : new Share(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
    }

    /** Asserts that the marks of different runs do not overlap unless their shares are compatible, and that their tokens rise. */
    void verify(int minimumHolds) throws IOException {
        assertThat(History.violations(holds())).isEmpty();
        assertThat(holds()).hasSizeGreaterThanOrEqualTo(minimumHolds);
    }

    /** The time of the last mark. */
    Instant lastMarkTime() throws IOException {
        return Files.getLastModifiedTime(file).toInstant();
    }

    /** Waits until no command or descendant lives, nor {@code lock} itself. */
    void awaitAllEnded() {
        Await.until("no commands and runs", () -> {
            boolean none = true;
            for (int scan = 0; none && scan < 2; scan++) { // a process that becomes another program shows nothing
                none = commands().isEmpty();
            }
            if (!none) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // a scan is expensive
            }
            return none;
        });
    }

    /** The commands, descendants and runs that live. */
    List<String> commands() throws IOException {
        return alive().stream().filter(process -> !process.endsWith(WATCHER)).toList();
    }

    /** The same with the watchers. */
    private List<String> alive() throws IOException {
        List<String> signs = new ArrayList<>(List.of(file.toString()));
        holds().forEach(hold -> signs.add(hold.holder()));
        List<String> alive = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                String command = read(process.resolve("cmdline")).replace('\0', ' ');
                String known = command + read(process.resolve("environ"));
                if (signs.stream().anyMatch(known::contains)) {
                    long pid = Long.parseLong(process.getFileName().toString());
                    alive.add(pid + " " + (command.contains(WATCHER) || hasWatcherAsParent(pid) ? WATCHER : command));
                }
            }
        }
        return alive;
    }

    /** Whether a watcher has called it. */
    private static boolean hasWatcherAsParent(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(ProcessHandle::parent)
                .filter(parent -> read(Path.of("/proc", Long.toString(parent.pid()), "cmdline"))
                        .contains(WATCHER))
                .isPresent();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return "";
        }
    }

    /** Kills all that still live, after a failed test, and what they have forked meanwhile. */
    void killAll() {
        Await.until("none is left", () -> {
            List<String> left = alive();
            for (String process : left) {
                ProcessHandle.of(Long.parseLong(process.substring(0, process.indexOf(' '))))
                        .ifPresent(ProcessHandle::destroyForcibly);
            }
            return left.isEmpty();
        });
    }
}
