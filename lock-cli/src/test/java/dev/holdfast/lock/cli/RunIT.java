package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a command gets from {@code lock run}, and what {@code lock run} gives back of it. */
class RunIT extends SqliteRuns {

    @Test
    void theLocalStoreServesWithoutAnyConfigurationAndOnlyTheCommandWritesToStandardOutput() throws Exception {
        Launched first =
                start(Launched.run(folder, "nightly", "--", "echo", "held").directory(folder.toFile()));

        assertThat(first.status()).isZero();
        assertThat(first.out()).isEqualTo("held\n");
        assertThat(first.err())
                .startsWith("lock: ")
                .contains(".holdfast/lock.db")
                .hasLineCount(1);

        Launched second = start(
                Launched.run(folder, "--local", "nightly", "--", "echo", "held").directory(folder.toFile()));

        assertThat(second.status()).isZero();
        assertThat(second.err()).as("the notice is silenced").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 7,7", "exit 255,255", "kill -KILL $$,137", "kill -TERM $$,143", "kill -SEGV $$,139"})
    void theCommandsStatusIsPassedOn(String script, int status) throws Exception {
        Launched run = started("a", "--", "sh", "-c", script);

        assertThat(run.status()).isEqualTo(status);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void argumentsArriveAsTheyAre() throws Exception {
        Launched run = started("a", "--", "printf", "<%s>", "two words", "", "*", "--", "@file", "-x", "'q\"", "$HOME");

        assertThat(run.status()).isZero();
        assertThat(run.out()).isEqualTo("<two words><><*><--><@file><-x><'q\"><$HOME>");
    }

    @Test
    void theCommandInheritsTheEnvironmentAndLearnsNameTokenAndProvider() throws Exception {
        ProcessBuilder builder = run("night ly", "--", "env");
        builder.environment().put("MINE", "kept");

        Launched run = start(builder);

        assertThat(run.status()).isZero();
        assertThat(run.out().lines())
                .contains("MINE=kept", "HOLDFAST_NAME=night ly", "HOLDFAST_PROVIDER=jdbc")
                .anyMatch(line -> line.matches("HOLDFAST_TOKEN=[1-9]\\d*"))
                .anyMatch(line -> line.matches("HOLDFAST_RUN=[0-9a-f]{32}"));
    }

    @Test
    void tokensRiseFromRunToRun() throws Exception {
        Launched first = started("a", "--", "printenv", "HOLDFAST_TOKEN");
        assertThat(first.status()).isZero();
        Launched second = started("a", "--", "printenv", "HOLDFAST_TOKEN");
        assertThat(second.status()).isZero();

        assertThat(Long.parseLong(second.out().strip()))
                .isGreaterThan(Long.parseLong(first.out().strip()));
    }

    @Test
    void standardInputReachesTheCommandUntouched() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "one\ntwo\nthree", UTF_8);

        Launched run = start(run("a", "--", "cat").redirectInput(input.toFile()));

        assertThat(run.status()).isZero();
        assertThat(run.out()).isEqualTo("one\ntwo\nthree");
    }

    @Test
    void theCommandHoldsNoDescriptorOfOurs() throws Exception {
        Launched run =
                started("a", "--", "sh", "-c", "ls /proc/$$/fd; true"); // no pipe, whose ends the shell would have

        assertThat(run.status()).isZero();
        assertThat(run.out().split("\\R"))
                .contains("0", "1", "2")
                .allMatch(fd -> Integer.parseInt(fd) < 3 || shells(fd));
    }

    /** dash keeps a script or a terminal at 10. */
    private static boolean shells(String descriptor) {
        return descriptor.equals("10");
    }

    @Test
    void aCommandThatDoesNotStartIsReportedAsAShellWouldAndTheLockIsFree() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), "no program");
        Path orphan = executable("orphan", "#!/no/such/interpreter\n");

        assertReported(started("a", "--", "no-such-command"), 127, "lock: no-such-command: not found");
        assertReported(started("a", "--", "/no/such"), 127, "lock: /no/such: not found");
        assertReported(started("a", "--", plain.toString()), 126, "lock: " + plain + ": is not executable");
        assertReported(started("a", "--", folder.toString()), 126, "lock: " + folder + ": is a directory");
        assertReported(
                started("a", "--", orphan.toString()), 126, "lock: " + orphan + ": its interpreter is not found");
        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    @Test
    void aCommandThatIsNotThereKeepsTheLockFromNobodyWhateverTheMinimum() throws Exception {
        assertThat(started("--at-least", "10m", "a", "--", "no-such-command").status())
                .isEqualTo(127);
        assertThat(started("--at-least", "10m", "a", "--", folder.toString()).status())
                .isEqualTo(126);

        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    private static void assertReported(Launched run, int status, String message) throws InterruptedException {
        assertThat(run.status()).isEqualTo(status);
        assertThat(run.err()).isEqualTo(message + "\n");
        assertThat(run.out()).isEmpty();
    }

    private Path executable(String name, String text) throws IOException {
        return Executable.write(folder.resolve(name), text);
    }

    @Test
    void aRunInsideARunWithAnotherStoreHoldsBoth() throws Exception {
        Path other = Files.writeString(folder.resolve("other.properties"), sqlite(folder.resolve("other.db")));
        List<String> inner = Stream.concat(
                        Launched.java(folder).stream(),
                        Stream.of("run", "--config", other.toString(), "b", "--", "printenv", "HOLDFAST_RUN"))
                .toList();

        Launched run =
                started(Stream.concat(Stream.of("a", "--"), inner.stream()).toArray(String[]::new));

        assertThat(run.status()).isZero();
        assertThat(run.out().strip()).as("the ids of both").matches("[0-9a-f]{32}:[0-9a-f]{32}");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void whatTheCommandLeavesRunningIsLeftAloneAndTheLockIsFreeAtOnce() throws Exception {
        Path goOn = folder.resolve("go-on");
        Path done = folder.resolve("done");
        Launched run = started(
                "a", "--", "sh", "-c", "(while [ ! -e " + goOn + " ]; do sleep 0.05; done; echo x >" + done + ") &");

        assertThat(run.status()).isZero();
        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();

        Files.createFile(goOn);
        Await.lines(done, 1);
    }
}
