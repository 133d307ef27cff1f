package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A wrong configuration and an unreachable store: each its own status, one line, and nothing runs. */
class WrongTest extends SqliteRuns {

    @Test
    void aWrongConfigurationIs78() throws Exception {
        assertSaid(with("lock.provider=nix\n"), 78, "lock.provider=nix");
        assertSaid(with("lock.provider=jdbc\nlock.laese=3s\n"), 78, "lock.lease");
        assertSaid(with("lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:x.db\nlock.lease=3 parsecs\n"), 78, "3 parsecs");
        Path file = Files.createFile(folder.resolve("file"));
        assertSaid(with(sqlite(file.resolve("lock.db"))), 78, file.toString());
        assertSaid(with(folder.resolve("missing")), 78, "missing");
    }

    @Test
    void aLeaseThatIsTooShortIs64() {
        assertSaid(asked("run", "--lease", "10ms", "a", "--", "echo"), 64, "100ms");
    }

    @Test
    void anUnreachableStoreIs69() throws Exception {
        assertSaid(with("lock.provider=jdbc\nlock.jdbc.url=jdbc:postgresql://127.0.0.1:1/locks\n"), 69, "127.0.0.1");
    }

    @Test
    void whereNothingWasEverLockedNothingIsMadeByLooking() {
        assertSaid(asked("list"), 78, database().toString());
        assertSaid(asked("release", "--force", "--yes", "a"), 78, database().toString());

        assertThat(database()).doesNotExist();
    }

    private Asked with(String properties) throws IOException {
        return with(Files.writeString(Files.createTempFile(folder, "wrong", ".properties"), properties));
    }

    private Asked with(Path file) {
        Path ran = folder.resolve("ran");
        Asked run = Asked.alone("run", "--config", file.toString(), "a", "--", "touch", ran.toString());
        assertThat(ran).doesNotExist();
        return run;
    }

    private static void assertSaid(Asked asked, int status, String part) {
        assertThat(asked.status()).as(asked.said()).isEqualTo(status);
        assertThat(asked.said()).startsWith("lock: ").contains(part).hasLineCount(1);
        assertThat(asked.data()).isEmpty();
    }
}
