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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code lock release --force} asks at a real terminal, created by {@code script} of util-linux, and only there. */
class TerminalIT extends SqliteCliTestBase {

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

    /** Types these keys once the question is shown. */
    private CliProcess typed(String keys, String redirection) throws Exception {
        Path script = Path.of("/usr/bin/script");
        assumeTrue(Files.isExecutable(script) && Files.isDirectory(Path.of("/proc/self")), "no script of util-linux");
        List<String> words =
                Obedient.command(process("release", "--force", "--json", "a").command());
        String command = CliProcess.quoted(words) + redirection;
        ProcessBuilder terminal = new ProcessBuilder(script.toString(), "-qec", command, "/dev/null");
        terminal.environment().put("SHELL", "/bin/sh");
        CliProcess release = start(terminal);
        release.await("the question", () -> release.stdoutSoFar().contains("? [y/N] "));
        type(release, keys);
        return release;
    }

    private static void type(CliProcess release, String keys) throws IOException {
        OutputStream keyboard = release.process().getOutputStream();
        keyboard.write(keys.getBytes(UTF_8));
        keyboard.flush();
    }
}
