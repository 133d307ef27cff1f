package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A wrong configuration and an unreachable store: each its own status, one line, and nothing runs. */
class WrongIT extends SqliteRuns {

    @Test
    void aWrongConfigurationIs78() throws Exception {
        assertSaid(with("lock.provider=nix\n"), 78, "lock.provider=nix");
        assertSaid(with("lock.provider=jdbc\nlock.laese=3s\n"), 78, "lock.lease");
        assertSaid(with("lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:x.db\nlock.lease=3 parsecs\n"), 78, "3 parsecs");
        Path file = Files.createFile(folder.resolve("file"));
        assertSaid(with(sqlite(file.resolve("lock.db"))), 78, file.toString());
        assertSaid(start(Launched.run(folder, "--config", "missing", "a", "--", "echo")), 78, "missing");
    }

    @Test
    void aUserWithoutAHomeHasNoLocalStore() throws Exception {
        ProcessBuilder homeless = Launched.option(Launched.run(folder, "--local", "a", "--", "echo"), "-Duser.home=?");

        assertSaid(start(homeless.directory(folder.toFile())), 78, "no home directory: give --config FILE");
    }

    @Test
    void theFileNamedByTheEnvironmentIsRead() throws Exception {
        ProcessBuilder builder = Launched.run(folder, "a", "--", "echo").directory(folder.toFile());
        builder.environment().put("LOCK_CONFIG", "missing-too");

        assertSaid(start(builder), 78, "missing-too");
    }

    @Test
    void aLeaseThatIsTooShortIs64() throws Exception {
        assertSaid(started("--lease", "10ms", "a", "--", "echo"), 64, "100ms");
    }

    @Test
    void anUnreachableStoreIs69() throws Exception {
        assertSaid(with("lock.provider=jdbc\nlock.jdbc.url=jdbc:postgresql://127.0.0.1:1/locks\n"), 69, "127.0.0.1");
    }

    @Test
    void whereNothingWasEverLockedNothingIsMadeByLooking() throws Exception {
        assertSaid(asked("list"), 78, database().toString());
        assertSaid(asked("release", "--force", "--yes", "a"), 78, database().toString());

        assertThat(database()).doesNotExist();
    }

    @Test
    void whatCannotBeWrittenIs74() throws Exception {
        assertThat(started("a", "--", "true").status()).as("makes the tables").isZero();
        for (String subcommand : new String[] {"list", "config", "doctor"}) {
            ProcessBuilder words = lock(subcommand, "--json");
            words.command().addAll(0, List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));

            Launched full = start(words);
            assertThat(full.status()).as(full.err()).isEqualTo(74);
            assertThat(full.err()).contains("lock: cannot read or write: ");
        }
    }

    private Launched with(String properties) throws IOException {
        Path file = Files.writeString(Files.createTempFile(folder, "wrong", ".properties"), properties);
        return start(Launched.run(folder, "--config", file.toString(), "a", "--", "echo", "never"));
    }

    private static void assertSaid(Launched run, int status, String part) throws InterruptedException {
        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(run.err()).startsWith("lock: ").contains(part).hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }
}
