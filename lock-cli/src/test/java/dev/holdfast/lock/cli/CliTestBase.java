package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Base of tests that call {@code lock} on a store of their own: within this process, or, where only a process shows it, in a
 * process, which costs half a second of CPU.
 */
abstract class CliTestBase {

    @TempDir
    Path folder;

    Path config;

    private final List<CliProcess> processes = new ArrayList<>();
    private final List<InProcessRun> runs = new ArrayList<>();

    /** The configuration of a store that no other test uses. */
    abstract String store() throws Exception;

    @BeforeEach
    void writeConfiguration() throws Exception {
        config = Files.writeString(folder.resolve("store.properties"), store());
    }

    @AfterEach
    void endProcessesAndRuns() throws Exception {
        for (CliProcess process : processes) {
            process.process().descendants().forEach(ProcessHandle::destroyForcibly);
            process.process().destroyForcibly();
        }
        for (InProcessRun run : runs) {
            run.interrupt();
        }
    }

    /** Calls a subcommand within this process, without a terminal. */
    CliInvocation invoke(String subcommand, String... arguments) {
        return CliInvocation.nonInteractive(withConfig(subcommand, arguments));
    }

    /** Calls a subcommand within this process, with an operator who answers each question like this. */
    CliInvocation invokeInteractively(Callable<Boolean> answer, String subcommand, String... arguments) {
        return CliInvocation.interactive(answer, withConfig(subcommand, arguments));
    }

    /** Starts a run within this process. */
    InProcessRun run(String... arguments) throws IOException {
        InProcessRun run = InProcessRun.start(
                folder, Stream.of(withConfig("run", arguments)).skip(1).toList());
        runs.add(run);
        return run;
    }

    /** Asserts that a run acquires this lock at once. */
    void assertFree(String name) throws Exception {
        InProcessRun run = run("--wait", "0s", name, "--", "true");
        assertThat(run.exitStatus()).as(run.stderr()).isZero();
    }

    /** A process of {@code lock}, not yet started. */
    ProcessBuilder process(String subcommand, String... arguments) {
        return processWithoutConfig(withConfig(subcommand, arguments));
    }

    /** A process of {@code lock}, not yet started, without the option that names the configuration. */
    ProcessBuilder processWithoutConfig(String... arguments) {
        return CliProcess.builder(folder, List.of(arguments)).directory(folder.toFile());
    }

    /** Starts a run in a process. */
    CliProcess startRun(String... arguments) throws IOException {
        return start(process("run", arguments));
    }

    CliProcess start(ProcessBuilder builder) throws IOException {
        CliProcess process = CliProcess.start(folder, builder);
        processes.add(process);
        return process;
    }

    private String[] withConfig(String subcommand, String... arguments) {
        return Stream.concat(Stream.of(subcommand, "--config", config.toString()), Stream.of(arguments))
                .toArray(String[]::new);
    }
}
