package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Obedient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals to {@code lock run}: the command gets each once; without a command they end the wait. */
class SignalsIT extends SqliteRuns {

    /** A shell runs its traps while it waits, and only after a command in the foreground: two signals would look like one. */
    private static final String WAIT = "while :; do sleep 0.05 & wait; done";

    private Path up;

    @BeforeEach
    void place() {
        up = folder.resolve("up");
    }

    @Test
    void eachSignalReachesTheCommandOnceAndTheCommandDecidesWhatItMeans() throws Exception {
        Path seen = folder.resolve("seen");
        String traps =
                "trap 'echo int >>\"$2\"' INT; trap 'echo hup >>\"$2\"' HUP; trap 'echo term >>\"$2\"; exit 9' TERM; ";
        Launched run =
                aside("a", "--", "sh", "-c", traps + "echo >\"$1\"; " + WAIT, "sh", up.toString(), seen.toString());
        run.awaitLine(up);

        run.send("INT");
        run.await("INT at the command", () -> linesOf(seen).equals(List.of("int")));
        run.send("HUP");
        run.await("HUP at the command", () -> linesOf(seen).equals(List.of("int", "hup")));
        run.send("TERM");

        assertThat(run.status()).as(run.err()).isEqualTo(9);
        assertThat(linesOf(seen)).containsExactly("int", "hup", "term");
    }

    /** In a session of its own: at the terminal that the build may have, an INT is taken for a Ctrl-C that the command got as well. */
    private Launched aside(String... arguments) throws IOException {
        ProcessBuilder run = lock("run", arguments);
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            run.command().add(0, "/usr/bin/setsid");
        }
        return start(run.command(Obedient.command(run.command())));
    }

    private static List<String> linesOf(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    @Test
    void withoutItsWatcherTheCommandIsStillAskedToEnd() throws Exception {
        Launched run = aside("a", "--", "sh", "-c", "trap 'exit 9' TERM; echo >\"$0\"; " + WAIT, up.toString());
        run.awaitLine(up);
        ProcessHandle watcher =
                run.process().children().filter(SignalsIT::watches).findFirst().orElseThrow();
        watcher.destroyForcibly();
        Await.until("the watcher is gone", () -> !watcher.isAlive());

        run.send("INT");

        assertThat(run.status()).as(run.err()).isEqualTo(9);
        assertThat(run.err()).contains("the watcher is gone");
    }

    private static boolean watches(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .contains("lock-watcher");
        } catch (IOException ended) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "HUP,129"})
    void aSignalThatEndsTheCommandEndsTheRunAndLeavesNoOrphan(String signal, int status) throws Exception {
        Launched run = aside("a", "--", "sh", "-c", "echo $$ >\"$0\"; exec sleep 1000", up.toString());
        run.awaitLine(up);

        run.send(signal);

        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(up).strip())))
                .isEmpty();
        assertIsFree();
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void aRunThatWaitsLeavesOnASignalAndNeverOwnsTheLockLater(String signal, int status) throws Exception {
        Launched waiting;
        try (Locks locks = Locks.open(config);
                Lease held = locks.named("a").acquire()) {
            waiting = aside("a", "--", "echo", "never");
            awaitAsking(waiting);

            waiting.send(signal);

            assertThat(waiting.status()).as(waiting.err()).isEqualTo(status);
            held.ensureHeld();
        }
        assertThat(waiting.out()).isEmpty();
        assertThat(waiting.err()).isEmpty();
        assertIsFree();
    }

    /** Until it has asked for the lock, a signal ends the JVM with the same status, but that is not what is tested here. */
    private static void awaitAsking(Launched run) throws Exception {
        Path threads = Path.of("/proc", Long.toString(run.process().pid()), "task");
        run.await("a thread of the engine's", () -> {
            try (Stream<Path> all = Files.list(threads)) {
                return all.anyMatch(thread -> name(thread).startsWith("holdfast"));
            }
        });
    }

    private static String name(Path thread) {
        try {
            return Files.readString(thread.resolve("comm"));
        } catch (IOException ended) {
            return "";
        }
    }

    private void assertIsFree() throws Exception {
        assertThat(run("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    @Test
    void controlCAtATerminalReachesTheCommandOnce() throws Exception {
        Path script = Files.writeString(folder.resolve("count.sh"), """
                trap 'echo int >>"$1"' INT
                sleep 0.5 # for the run to know that its command has started; a Ctrl-C in that very moment may come twice
                echo up >>"$1"
                while [ ! -e "$2" ]; do sleep 0.05; done
                sleep 1 # a second one would come now
                """);
        Path seen = folder.resolve("seen");
        Path end = folder.resolve("end");
        List<String> words =
                Obedient.command(lock("run", "a", "--", "sh", script.toString(), seen.toString(), end.toString())
                        .command());
        // Without exec, a plain sh stays in between, and dies of the same Ctrl-C.
        Launched terminal = start(new ProcessBuilder("script", "-qec", "exec " + Launched.quoted(words), "/dev/null"));
        terminal.awaitLine(seen);

        terminal.process().getOutputStream().write(3);
        terminal.process().getOutputStream().flush();
        terminal.await("Ctrl-C at the command", () -> linesOf(seen).size() > 1);
        Files.createFile(end);

        assertThat(terminal.status()).as(terminal.out()).isZero();
        assertThat(linesOf(seen)).containsExactly("up", "int");
    }
}
