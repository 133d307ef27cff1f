package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Obedient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code lock} at a real terminal, created by {@code script} of util-linux. */
@Tag("second-build")
class TerminalIT extends SqliteCliTestBase {

    /** What {@code lock top} writes first: the alternate screen, no cursor, no continued lines. */
    private static final String ENTER = "\u001B[?1049h\u001B[?25l\u001B[?7l";
    /** And last, in the opposite order. */
    private static final String LEAVE = "\u001B[?7h\u001B[?25h\u001B[?1049l";

    private Locks locks;
    private Lease held;

    @BeforeEach
    void hold() {
        locks = Locks.open(config);
        held = locks.named("a").tryAcquire().orElseThrow();
    }

    @AfterEach
    void close() {
        locks.close();
    }

    /** Standard output need not be a terminal: it gets the data, not the question. */
    @Test
    void release_whenConfirmedAtTerminal_releasesAndWritesOutcomeToFile() throws Exception {
        Path outcome = folder.resolve("outcome");

        CliProcess release = typed("y\n", " >" + CliProcess.quoted(List.of(outcome.toString())));

        assertThat(release.exitStatus()).as(release.stdout()).isZero();
        assertThat(release.stdout()).contains("released 'a', held by ");
        assertThat(outcome).content().contains("\"outcome\": \"released\"");
        assertThat(held.release()).as("whether the lease was held to the end").isFalse();
    }

    @Test
    void release_whenDeclinedAtTerminal_releasesNothing() throws Exception {
        CliProcess release = typed("n\n", "");

        assertThat(release.exitStatus()).as(release.stdout()).isEqualTo(75);
        assertThat(release.stdout()).contains("nothing was released");
        assertThat(held.release()).isTrue();
    }

    @Test
    void release_whenInterruptedAtTerminal_exitsWith130AndReleasesNothing() throws Exception {
        CliProcess release = typed("\u0003", "");

        assertThat(release.exitStatus()).as(release.stdout()).isEqualTo(130);
        assertThat(held.release()).isTrue();
    }

    @Test
    void release_whenNoTerminal_releasesNothing() throws Exception {
        CliProcess release = start(process("release", "--force", "a"));

        assertThat(release.exitStatus()).as(release.stdout()).isEqualTo(64);
        assertThat(release.stderr()).contains("no terminal");
        assertThat(held.release()).isTrue();
    }

    private static Stream<Arguments> endsOfTop() {
        return Stream.of(Arguments.of("q", 0), Arguments.of("\u0003", 130), Arguments.of("TERM", 143));
    }

    /** The settings of the terminal, the alternate screen and the cursor. */
    @ParameterizedTest
    @MethodSource("endsOfTop")
    void top_whenEnded_leavesTheTerminalAsItWas(String end, int status) throws Exception {
        Path before = folder.resolve("before");
        Path after = folder.resolve("after");
        CliProcess top = atTerminal("trap : INT; stty rows 24 cols 80; stty -g >" + before + "; "
                + CliProcess.quoted(Obedient.command(process("top").command())) + "; status=$?; stty -g >" + after
                + "; exit $status");
        top.await("the lock on the screen", () -> top.stdoutSoFar().contains("\u001B[Ka  "));
        assertThat(top.stdoutSoFar()).startsWith(ENTER).contains("q quit");
        type(top, "b");
        top.await("the other page", () -> top.stdoutSoFar().contains("no lock is waited for"));

        if (end.equals("TERM")) {
            top.java().destroy();
        } else {
            type(top, end);
        }

        assertThat(top.exitStatus()).as(top.stdout()).isEqualTo(status);
        assertThat(top.stdout()).endsWith(LEAVE);
        assertThat(after).hasSameTextualContentAs(before);
        assertThat(Files.readString(before)).isNotBlank();
        assertThat(held.release()).isTrue();
    }

    /** Types these keys once the question is shown. */
    private CliProcess typed(String keys, String redirection) throws Exception {
        List<String> words =
                Obedient.command(process("release", "--force", "--json", "a").command());
        CliProcess release = atTerminal(CliProcess.quoted(words) + redirection);
        release.await("the question", () -> release.stdoutSoFar().contains("? [y/N] "));
        type(release, keys);
        return release;
    }

    /** Has a shell run a script at a terminal, whose screen is the standard output of the process. */
    private CliProcess atTerminal(String command) throws Exception {
        Path script = Path.of("/usr/bin/script");
        assumeTrue(Files.isExecutable(script) && Files.isDirectory(Path.of("/proc/self")), "no script of util-linux");
        ProcessBuilder terminal = new ProcessBuilder(script.toString(), "-qec", command, "/dev/null");
        terminal.environment().put("SHELL", "/bin/sh");
        terminal.environment().put("TERM", "xterm");
        return start(terminal);
    }

    private static void type(CliProcess process, String keys) throws IOException {
        OutputStream keyboard = process.process().getOutputStream();
        keyboard.write(keys.getBytes(UTF_8));
        keyboard.flush();
    }
}
