package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock run} as a process: the default store, the streams, and a run inside a run. */
class RunIT extends SqliteCliTestBase {

    @Test
    void run_withoutConfiguration_usesLocalStoreWithNoticeThatLocalOptionSilences() throws Exception {
        CliProcess first = start(processWithoutConfig("run", "nightly", "--", "echo", "held"));

        assertThat(first.exitStatus()).isZero();
        assertThat(first.stdout()).isEqualTo("held\n");
        assertThat(first.stderr())
                .startsWith("lock: ")
                .contains(".holdfast/lock.db")
                .hasLineCount(1);

        CliProcess second = start(processWithoutConfig("run", "--local", "nightly", "--", "echo", "held"));

        assertThat(second.exitStatus()).isZero();
        assertThat(second.stderr()).as("the notice is silenced").isEmpty();
    }

    @Test
    void run_always_passesItsStreamsAndNoOtherDescriptor() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "one\ntwo\nthree");
        Path descriptors = folder.resolve("descriptors");

        // Not a pipe, whose ends the shell would have open.
        CliProcess run =
                start(process("run", "a", "--", "sh", "-c", "cat; ls /proc/$$/fd >\"$1\"", "sh", descriptors.toString())
                        .redirectInput(input.toFile()));

        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout()).isEqualTo("one\ntwo\nthree");
        assertThat(run.stderr()).isEmpty();
        assertThat(Files.readAllLines(descriptors))
                .contains("0", "1", "2")
                .allMatch(descriptor -> Integer.parseInt(descriptor) < 3 || belongsToShell(descriptor));
    }

    /** The system gives the number of a closed stream to the next file that is opened, such as one of Java's own. */
    @Test
    void run_whenStreamsAreClosed_commandFindsNothingThere() throws Exception {
        Path targets = folder.resolve("targets");
        List<String> words = process(
                        "run",
                        "a",
                        "--",
                        "sh",
                        "-c",
                        "t=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo \"$t\" >\"$1\"",
                        "sh",
                        targets.toString())
                .command();
        CliProcess run = start(new ProcessBuilder("sh", "-c", "exec " + CliProcess.quoted(words) + " <&- >&- 2>&-"));

        assertThat(run.exitStatus()).isZero();
        assertThat(Files.readAllLines(targets)).containsExactly("/dev/null", "/dev/null", "/dev/null");
    }

    @Test
    void run_inTheMemoryOfItsProcess_isRefused() throws Exception {
        Path memory = Files.writeString(folder.resolve("memory.properties"), "lock.provider=memory\n");
        CliProcess run = start(processWithoutConfig("run", "--config", memory.toString(), "a", "--", "echo", "held"));

        assertThat(run.exitStatus()).isEqualTo(78);
        assertThat(run.stderr())
                .contains("lock.provider=memory", "exclude no other command")
                .hasLineCount(1);
        assertThat(run.stdout()).isEmpty();
    }

    /** dash keeps a script or terminal open as descriptor 10. */
    private static boolean belongsToShell(String descriptor) {
        return descriptor.equals("10");
    }

    @Test
    void run_whenNestedWithOtherStore_carriesBothRunIds() throws Exception {
        Path other =
                Files.writeString(folder.resolve("other.properties"), TestStores.sqlite(folder.resolve("other.db")));
        List<String> words = new ArrayList<>(List.of("a", "--"));
        words.addAll(CliProcess.java(folder));
        words.addAll(List.of("run", "--config", other.toString(), "b", "--", "printenv", "HOLDFAST_RUN"));

        InProcessRun run = run(words.toArray(String[]::new));

        assertThat(run.exitStatus()).as(run.stderr()).isZero();
        assertThat(run.stdout().strip()).as("the ids of both").matches("([0-9a-f]{32}:)+[0-9a-f]{32}");
        assertThat(run.stderr()).isEmpty();
    }
}
