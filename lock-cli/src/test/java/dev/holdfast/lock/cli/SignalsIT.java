package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Obedient;
import dev.holdfast.lock.testing.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signals to {@code lock run}: the command gets each once; before it starts, they end the wait. */
@Tag("second-build")
@Order(1)
class SignalsIT extends SqliteCliTestBase {

    /** A shell runs its traps during wait, but only after a foreground command: two signals would then look like one. */
    private static final String WAIT = "while :; do sleep 0.05 & wait; done";

    private Path up;

    @BeforeEach
    void namePath() {
        up = folder.resolve("up");
    }

    @Test
    void run_whenSignalled_forwardsEachSignalOnceAndCommandDecides() throws Exception {
        Path seen = folder.resolve("seen");
        String traps =
                "trap 'echo int >>\"$2\"' INT; trap 'echo hup >>\"$2\"' HUP; trap 'echo term >>\"$2\"; exit 9' TERM; ";
        CliProcess run = startInOwnSession(
                "a", "--", "sh", "-c", traps + "echo >\"$1\"; " + WAIT, "sh", up.toString(), seen.toString());
        run.awaitLine(up);

        run.send("INT");
        run.await("INT at the command", () -> linesOf(seen).equals(List.of("int")));
        run.send("HUP");
        run.await("HUP at the command", () -> linesOf(seen).equals(List.of("int", "hup")));
        run.send("TERM");

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(9);
        assertThat(linesOf(seen)).containsExactly("int", "hup", "term");
    }

    @Test
    void run_whenSignalledWithOneOfPrograms_forwardsItToo() throws Exception {
        Path seen = folder.resolve("seen");
        List<String> names = List.of("USR1", "USR2", "ALRM", "CONT", "WINCH");
        StringBuilder traps = new StringBuilder();
        names.forEach(name -> traps.append("trap 'echo " + name + " >>\"$2\"' " + name + "; "));
        CliProcess run = startInOwnSession(
                "a",
                "--",
                "sh",
                "-c",
                traps + "trap 'exit 9' TERM; echo >\"$1\"; " + WAIT,
                "sh",
                up.toString(),
                seen.toString());
        run.awaitLine(up);

        for (int i = 0; i < names.size(); i++) {
            List<String> so = names.subList(0, i + 1);
            run.send(names.get(i));
            run.await(names.get(i) + " at the command", () -> linesOf(seen).equals(so));
        }
        run.send("TERM");

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR1", "HUP"})
    void run_whenStartedToIgnoreASignal_commandIgnoresItToo(String signal) throws Exception {
        List<String> words = List.of("/bin/sh", "-c", "trap '' " + signal + "; exec \"$@\"", "sh");
        ProcessBuilder builder = process(
                "run", "a", "--", "sh", "-c", "kill -s " + signal + " $$; kill -s " + signal + " $PPID; echo goes on");
        builder.command().addAll(0, words);
        CliProcess run = start(builder);

        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout()).isEqualTo("goes on\n");
    }

    /** As the terminal sends it for Ctrl-\\; Java before 25 blocks it in what it starts. */
    @Test
    void run_whenCommandGetsQuit_commandEnds() throws Exception {
        CliProcess run = startInOwnSession("a", "--", "sh", "-c", "echo $$ >\"$0\"; exec sleep 1000", up.toString());
        run.awaitLine(up);

        new ProcessBuilder("sh", "-c", "kill -s QUIT " + Files.readString(up).strip())
                .start()
                .waitFor();

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(131);
    }

    /** Starts a run in a session of its own: at the build's terminal, an INT would be taken for a Ctrl-C sent to the command too. */
    private CliProcess startInOwnSession(String... arguments) throws IOException {
        ProcessBuilder run = process("run", arguments);
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            run.command().add(0, "/usr/bin/setsid");
        }
        return start(run.command(Obedient.command(run.command())));
    }

    private static List<String> linesOf(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    @Test
    void run_whenWatcherGone_sendsTermInsteadOfInt() throws Exception {
        CliProcess run =
                startInOwnSession("a", "--", "sh", "-c", "trap 'exit 9' TERM; echo >\"$0\"; " + WAIT, up.toString());
        run.awaitLine(up);
        ProcessHandle watcher = run.process()
                .children()
                .filter(SignalsIT::isWatcher)
                .findFirst()
                .orElseThrow();
        watcher.destroyForcibly();
        Await.until("the watcher is gone", () -> !watcher.isAlive());

        run.send("INT");

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(9);
        assertThat(run.stderr()).contains("the watcher process is gone");
    }

    @Test
    void run_always_watcherHasAShortLineInListsOfProcesses() throws Exception {
        CliProcess run = startInOwnSession("a", "--", "sh", "-c", "echo >\"$0\"; exec sleep 1000", up.toString());
        run.awaitLine(up);

        assertThat(run.process().children().filter(SignalsIT::isWatcher))
                .singleElement()
                .satisfies(watcher -> assertThat(Path.of("/proc", Long.toString(watcher.pid()), "cmdline"))
                        .content()
                        .hasSizeLessThan(250));
        run.send("TERM");
        assertThat(run.exitStatus()).isEqualTo(143);
    }

    private static boolean isWatcher(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .contains("lock-watcher");
        } catch (IOException ended) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "HUP,129"})
    void run_whenSignalEndsCommand_exitsWith128PlusSignalAndFreesLock(String signal, int status) throws Exception {
        CliProcess run = startInOwnSession("a", "--", "sh", "-c", "echo $$ >\"$0\"; exec sleep 1000", up.toString());
        run.awaitLine(up);

        run.send(signal);

        assertThat(run.exitStatus()).as(run.stderr()).isEqualTo(status);
        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(up).strip())))
                .isEmpty();
        assertFree("a");
    }

    @ParameterizedTest
    @CsvSource({"TERM,143", "USR1,138"})
    void run_whenSignalledWhileWaiting_withdrawsAndExits(String signal, int status) throws Exception {
        exitsWhileWaiting(signal, status);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"INT,130", "USR2,140", "ALRM,142"})
    void run_whenSignalledOtherwiseWhileWaiting_withdrawsAndExits(String signal, int status) throws Exception {
        exitsWhileWaiting(signal, status);
    }

    private void exitsWhileWaiting(String signal, int status) throws Exception {
        CliProcess waiting;
        try (Locks locks = Locks.open(config);
                Lease held = locks.named("a").acquire()) {
            waiting = startInOwnSession("a", "--", "echo", "never");
            awaitRequest(waiting);

            waiting.send(signal);

            assertThat(waiting.exitStatus()).as(waiting.stderr()).isEqualTo(status);
            held.ensureHeld();
        }
        assertThat(waiting.stdout()).isEmpty();
        assertThat(waiting.stderr()).isEmpty();
        assertFree("a");
    }

    /** Before it has asked for the lock, a signal ends the JVM with the same status, which is not what is tested here. */
    private static void awaitRequest(CliProcess run) throws Exception {
        Path threads = Path.of("/proc", Long.toString(run.process().pid()), "task");
        run.await("a thread of the engine", () -> {
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
    void run_whenControlCAtTerminal_commandGetsItOnce() throws Exception {
        Path script = Files.writeString(folder.resolve("count.sh"), """
            trap 'echo int >>"$1"' INT
            trap 'echo >>"$3"' USR1
            echo up >>"$1"
            while [ ! -e "$2" ]; do sleep 0.05; done
            sleep 1 # a second INT would arrive now
            """);
        Path seen = folder.resolve("seen");
        Path end = folder.resolve("end");
        Path forwarded = folder.resolve("forwarded");
        String[] run = Stream.of("a", "--", "sh", script, seen, end, forwarded)
                .map(Object::toString)
                .toArray(String[]::new);
        List<String> words = Obedient.command(process("run", run).command());
        // Without exec, a shell stays in between, and the same Ctrl-C ends it.
        CliProcess terminal =
                start(new ProcessBuilder("script", "-qec", "exec " + CliProcess.quoted(words), "/dev/null"));
        terminal.awaitLine(seen);
        // Once it forwards signals, the run knows that its command has started: a Ctrl-C at that very moment may arrive
        // twice.
        Signals.send("USR1", terminal.java());
        terminal.await("a forwarded signal", () -> Files.exists(forwarded));

        terminal.process().getOutputStream().write(3);
        terminal.process().getOutputStream().flush();
        terminal.await("Ctrl-C at the command", () -> linesOf(seen).size() > 1);
        Files.createFile(end);

        assertThat(terminal.exitStatus()).as(terminal.stdout()).isZero();
        assertThat(linesOf(seen)).containsExactly("up", "int");
    }
}
