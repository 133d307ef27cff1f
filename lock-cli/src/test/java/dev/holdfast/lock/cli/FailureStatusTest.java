package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A wrong configuration and an unreachable store: an exit status for each, one line, and no command runs. */
class FailureStatusTest extends SqliteCliTestBase {

    @Test
    void run_whenConfigurationWrong_exitsWith78() throws Exception {
        assertFailed(runWith("lock.provider=nix\n"), 78, "lock.provider=nix");
        assertFailed(runWith("lock.provider=jdbc\nlock.laese=3s\n"), 78, "lock.lease");
        assertFailed(
                runWith("lock.provider=jdbc\nlock.jdbc.url=jdbc:sqlite:x.db\nlock.lease=3 parsecs\n"), 78, "3 parsecs");
        Path file = Files.createFile(folder.resolve("file"));
        assertFailed(runWith(TestStores.sqlite(file.resolve("lock.db"))), 78, file.toString());
        assertFailed(runWith(folder.resolve("missing")), 78, "missing");
    }

    @Test
    void run_whenStoreHasNoShares_exitsWith78AndSaysWhatIsAllowed() throws Exception {
        Path exclusive = Files.writeString(folder.resolve("exclusive.properties"), "lock.provider=unlistable\n");

        for (String[] option : new String[][] {{"--shared"}, {"--max", "3"}}) {
            CliInvocation run = CliInvocation.nonInteractive(
                    Stream.of(new String[] {"run", "--config", exclusive.toString()}, option, new String[] {
                                "a", "--", "true"
                            })
                            .flatMap(Stream::of)
                            .toArray(String[]::new));

            assertFailed(run, 78, "'a' cannot be shared or counted: ");
            assertThat(run.stderr())
                    .contains("unlistable", "exclusive locks only")
                    .contains("leave out --shared and --max, or name another store");
        }
    }

    @Test
    void run_whenLeaseTooShort_exitsWith64() {
        assertFailed(invoke("run", "--lease", "10ms", "a", "--", "echo"), 64, "100ms");
    }

    @Test
    void run_whenStoreUnreachable_exitsWith69() throws Exception {
        assertFailed(
                runWith("lock.provider=jdbc\nlock.jdbc.url=jdbc:postgresql://127.0.0.1:1/locks\n"), 69, "127.0.0.1");
    }

    @Test
    void listAndRelease_whenStoreNeverUsed_exitWith78AndCreateNothing() {
        assertFailed(invoke("list"), 78, database().toString());
        assertFailed(invoke("release", "--force", "--yes", "a"), 78, database().toString());

        assertThat(database()).doesNotExist();
    }

    private CliInvocation runWith(String properties) throws IOException {
        return runWith(Files.writeString(Files.createTempFile(folder, "wrong", ".properties"), properties));
    }

    private CliInvocation runWith(Path file) {
        Path ran = folder.resolve("ran");
        CliInvocation run =
                CliInvocation.nonInteractive("run", "--config", file.toString(), "a", "--", "touch", ran.toString());
        assertThat(ran).doesNotExist();
        return run;
    }

    private static void assertFailed(CliInvocation result, int status, String part) {
        assertThat(result.exitStatus()).as(result.stderr()).isEqualTo(status);
        assertThat(result.stderr()).startsWith("lock: ").contains(part).hasLineCount(1);
        assertThat(result.stdout()).isEmpty();
    }
}
