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

/** {@code lock release --force} asks on a real terminal, which {@code script} of util-linux makes, and nowhere else. */
class TerminalIT extends SqliteRuns {

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

    /** Standard output need not be a terminal: data goes there, and the question does not. */
    @Test
    void yesTakesItAndTheOutcomeMayGoToAFile() throws Exception {
        Path outcome = folder.resolve("outcome");

        Launched release = typed("y\n", " >" + Launched.quoted(List.of(outcome.toString())));

        assertThat(release.status()).as(release.out()).isZero();
        assertThat(release.out()).contains("took 'a' from ");
        assertThat(outcome).content().contains("\"outcome\": \"taken\"");
        assertThat(held.release()).as("whether it was held to the end").isFalse();
    }

    @Test
    void noTakesNothing() throws Exception {
        Launched release = typed("n\n", "");

        assertThat(release.status()).as(release.out()).isEqualTo(75);
        assertThat(release.out()).contains("nothing was taken");
        assertThat(held.release()).isTrue();
    }

    @Test
    void controlCIs130AndTakesNothing() throws Exception {
        Launched release = typed("\u0003", "");

        assertThat(release.status()).as(release.out()).isEqualTo(130);
        assertThat(held.release()).isTrue();
    }

    @Test
    void withoutATerminalNothingIsTaken() throws Exception {
        Launched release = start(lock("release", "--force", "a"));

        assertThat(release.status()).as(release.out()).isEqualTo(64);
        assertThat(release.err()).contains("no terminal");
        assertThat(held.release()).isTrue();
    }

    /** Types this once the question is there. */
    private Launched typed(String keys, String redirection) throws Exception {
        Path script = Path.of("/usr/bin/script");
        assumeTrue(Files.isExecutable(script) && Files.isDirectory(Path.of("/proc/self")), "no script of util-linux");
        List<String> words =
                Obedient.command(lock("release", "--force", "--json", "a").command());
        String command = Launched.quoted(words) + redirection;
        ProcessBuilder terminal = new ProcessBuilder(script.toString(), "-qec", command, "/dev/null");
        terminal.environment().put("SHELL", "/bin/sh");
        Launched release = start(terminal);
        release.await("the question", () -> release.outSoFar().contains("? [y/N] "));
        type(release, keys);
        return release;
    }

    private static void type(Launched release, String keys) throws IOException {
        OutputStream keyboard = release.process().getOutputStream();
        keyboard.write(keys.getBytes(UTF_8));
        keyboard.flush();
    }
}
