package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code lock run} passes to the command, and what it returns of it. */
class RunCommandTest extends SqliteCliTestBase {

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 7,7", "exit 255,255", "kill -KILL $$,137", "kill -TERM $$,143", "kill -SEGV $$,139"})
    void run_whenCommandEnds_exitsWithItsStatusOr128PlusSignal(String script, int status) throws Exception {
        InProcessRun run = run("a", "--", "sh", "-c", script);

        assertThat(run.exitStatus()).isEqualTo(status);
        assertThat(run.stderr()).isEmpty();
    }

    @Test
    void run_always_passesArgumentsUnchanged() throws Exception {
        InProcessRun run = run("a", "--", "printf", "<%s>", "two words", "", "*", "--", "@file", "-x", "'q\"", "$HOME");

        assertThat(run.exitStatus()).isZero();
        assertThat(run.stdout()).isEqualTo("<two words><><*><--><@file><-x><'q\"><$HOME>");
    }

    @Test
    void run_always_passesEnvironmentWithNameTokenAndProvider() throws Exception {
        InProcessRun run = run("night ly", "--", "env");

        assertThat(run.exitStatus()).isZero();
        assertThat(run.stdout().lines())
                .contains("PATH=" + System.getenv("PATH"), "HOLDFAST_NAME=night ly", "HOLDFAST_PROVIDER=jdbc")
                .anyMatch(line -> line.matches("HOLDFAST_TOKEN=[1-9]\\d*"))
                .anyMatch(line -> line.matches("HOLDFAST_RUN=[0-9a-f:]*[0-9a-f]{32}"));
    }

    @Test
    void run_whenRepeated_tokenRises() throws Exception {
        long first = Long.parseLong(
                run("a", "--", "printenv", "HOLDFAST_TOKEN").stdout().strip());
        long second = Long.parseLong(
                run("a", "--", "printenv", "HOLDFAST_TOKEN").stdout().strip());

        assertThat(second).isGreaterThan(first);
    }

    @Test
    void run_whenCommandCannotStart_reportsAsShellAndLeavesLockFree() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), "no program", UTF_8);
        Path orphan = ExecutableFile.write(folder.resolve("orphan"), "#!/no/such/interpreter\n");

        assertReported("no-such-command", 127, "lock: no-such-command: not found");
        assertReported("/no/such", 127, "lock: /no/such: not found");
        assertReported(plain.toString(), 126, "lock: " + plain + ": is not executable");
        assertReported(folder.toString(), 126, "lock: " + folder + ": is a directory");
        assertReported(orphan.toString(), 126, "lock: " + orphan + ": its interpreter is not found");
        assertFree("a");
    }

    private void assertReported(String command, int status, String message) {
        CliInvocation run = invoke("run", "a", "--", command);

        assertThat(run.exitStatus()).isEqualTo(status);
        assertThat(run.stderr()).isEqualTo(message + "\n");
    }

    @Test
    void run_whenCommandCannotStart_leavesNoMinimumHold() throws Exception {
        assertThat(invoke("run", "--at-least", "10m", "a", "--", "no-such-command")
                        .exitStatus())
                .isEqualTo(127);
        assertThat(invoke("run", "--at-least", "10m", "a", "--", folder.toString())
                        .exitStatus())
                .isEqualTo(126);
        Path orphan = ExecutableFile.write(folder.resolve("orphan"), "#!/no/such/interpreter\n");
        assertThat(invoke("run", "--at-least", "10m", "a", "--", orphan.toString())
                        .exitStatus())
                .as("a command that is found, and cannot start all the same")
                .isEqualTo(126);

        assertFree("a");
    }

    @Test
    void run_whenCommandLeavesBackgroundProcess_leavesItAloneAndFreesLock() throws Exception {
        Path goOn = folder.resolve("go-on");
        Path done = folder.resolve("done");
        String script = "(while [ ! -e \"$1\" ]; do sleep 0.05; done; echo x >\"$2\") &";
        assertThat(run("a", "--", "sh", "-c", script, "sh", goOn.toString(), done.toString())
                        .exitStatus())
                .isZero();
        assertFree("a");

        Files.createFile(goOn);

        Await.until("what was left goes on", () -> Files.exists(done));
    }
}
