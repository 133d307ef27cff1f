package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals to the launcher: the command gets each once; without a command they end the wait. */
class SignalsIT extends SqliteRuns {

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void theCommandDecidesWhatASignalMeans(String signal) throws Exception {
        Path up = folder.resolve("up");
        Launched run = started(
                "a",
                "--",
                "sh",
                "-c",
                "trap 'echo got; exit 9' " + signal + "; echo >" + up + "; while :; do sleep 0.05; done");
        Await.lines(up, 1);

        run.send(signal);

        assertThat(run.status()).as(run.err()).isEqualTo(9);
        assertThat(run.out()).isEqualTo("got\n");
    }

    @Test
    void withoutItsWatcherTheCommandIsStillAskedToEnd() throws Exception {
        Path up = folder.resolve("up");
        Launched run = started(
                "a", "--", "sh", "-c", "trap 'echo got; exit 9' TERM; echo >" + up + "; while :; do sleep 0.05; done");
        Await.lines(up, 1);
        ProcessHandle watcher =
                run.process().children().filter(SignalsIT::watches).findFirst().orElseThrow();
        watcher.destroyForcibly();
        Await.until("the watcher is gone", () -> !watcher.isAlive());

        run.send("INT");

        assertThat(run.status()).as(run.err()).isEqualTo(9);
        assertThat(run.out()).isEqualTo("got\n");
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
    @CsvSource({"INT,130", "TERM,143", "HUP,129"})
    void aSignalThatEndsTheCommandEndsTheRunAndLeavesNoOrphan(String signal, int status) throws Exception {
        Path up = folder.resolve("up");
        Launched run = started("a", "--", "sh", "-c", "echo $$ >" + up + "; exec sleep 1000");
        Await.lines(up, 1);

        run.send(signal);

        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(up).strip())))
                .isEmpty();
        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void whoWaitsLeavesAtOnceAndNeverOwnsTheLockLater(String signal, int status) throws Exception {
        Path up = folder.resolve("up");
        Path end = folder.resolve("end");
        Launched holder =
                started("a", "--", "sh", "-c", "echo >" + up + "; while [ ! -e " + end + " ]; do sleep 0.05; done");
        Await.lines(up, 1);
        Launched waiting = started("a", "--", "echo", "never");
        awaitAsking(waiting);

        waiting.send(signal);

        assertThat(waiting.status()).as(waiting.err()).isEqualTo(status);
        assertThat(waiting.out()).isEmpty();
        assertThat(waiting.err()).isEmpty();
        assertThat(holder.process().isAlive()).isTrue();
        Files.createFile(end);
        assertThat(holder.status()).isZero();
        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    /** Until it has asked for the lock, a signal ends the JVM with the same status, but that is not what is tested here. */
    private static void awaitAsking(Launched run) throws Exception {
        Path threads = Path.of("/proc", Long.toString(run.process().pid()), "task");
        Await.until("a thread of the engine's", () -> {
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

    @Test
    void ctrlCAtATerminalReachesTheCommandOnce() throws Exception {
        Path script = Files.writeString(folder.resolve("count.sh"), """
                trap 'echo int >>"$1"' INT
                sleep 0.5 # for who started this to know that it did; a Ctrl-C in that very moment may come twice
                echo up >>"$1"
                while [ ! -e "$2" ]; do sleep 0.05; done
                sleep 1 # a second one would come now
                """);
        Path seen = folder.resolve("seen");
        Path end = folder.resolve("end");
        List<String> words = new ArrayList<>(run("a", "--", "sh", script.toString(), seen.toString(), end.toString())
                .command());
        // Without exec, a plain sh stays in between, and dies of the same Ctrl-C.
        String line = "exec " + String.join(" ", words);
        Launched terminal = start(new ProcessBuilder("script", "-qec", line, "/dev/null"));
        Await.lines(seen, 1);

        terminal.process().getOutputStream().write(3);
        terminal.process().getOutputStream().flush();
        Await.lines(seen, 2);
        Files.createFile(end);

        assertThat(terminal.status()).as(terminal.out()).isZero();
        assertThat(Files.readAllLines(seen)).containsExactly("up", "int");
    }
}
