package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code lock release --force} asks on a real terminal, which {@code script} of util-linux makes. */
class TerminalIT extends SqliteRuns {

    private Launched holder;

    @BeforeEach
    void hold() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")) && Files.isDirectory(Path.of("/proc/self")));
        Path held = folder.resolve("held");
        holder = started("a", "--", "sh", "-c", "echo >" + held + "; exec sleep 1000");
        holder.awaitLine(held);
    }

    @Test
    void yesTakesIt() throws Exception {
        Launched release = typed("y\n");

        assertThat(release.status()).as(release.out()).isZero();
        assertThat(release.out()).contains("took 'a' from ");
        assertThat(holder.status()).isEqualTo(76);
    }

    @Test
    void anythingElseTakesNothing() throws Exception {
        for (String answer : List.of("n\n", "\n", "yesterday\n", "\u0004")) {
            Launched release = typed(answer);

            assertThat(release.status()).as(release.out()).isEqualTo(75);
            assertThat(release.out()).contains("nothing was taken");
        }
        assertThat(holder.process().isAlive()).isTrue();
    }

    @Test
    void controlCIs130() throws Exception {
        Launched release = typed("\u0003");

        assertThat(release.status()).as(release.out()).isEqualTo(130);
        assertThat(holder.process().isAlive()).isTrue();
    }

    /** Standard output need not be a terminal: data goes there, and the question does not. */
    @Test
    void asksAlsoIfTheOutcomeGoesToAFile() throws Exception {
        Path outcome = folder.resolve("outcome");

        Launched release = typed("y\n", "--json", ">" + outcome);

        assertThat(release.status()).as(release.out()).isZero();
        assertThat(outcome).content().contains("\"outcome\": \"taken\"");
    }

    /** Types this once the question is there. */
    private Launched typed(String keys, String... more) throws Exception {
        List<String> words = lock("release", "--force", "a").command();
        String command = String.join(" ", words) + " " + String.join(" ", more);
        ProcessBuilder terminal = new ProcessBuilder("/usr/bin/script", "-qec", command, "/dev/null");
        terminal.environment().put("SHELL", "/bin/sh");
        Launched release = start(terminal);
        Await.until(
                "the question",
                () -> release.outSoFar().contains("? [y/N] ")
                        || !release.process().isAlive());
        type(release, keys);
        return release;
    }

    private static void type(Launched release, String keys) throws IOException {
        OutputStream keyboard = release.process().getOutputStream();
        keyboard.write(keys.getBytes(UTF_8));
        keyboard.flush();
    }
}
