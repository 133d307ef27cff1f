package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code lock run} as a process: its store without any configuration, the streams, and a run inside a run. */
class RunIT extends SqliteRuns {

    @Test
    void withoutConfigurationTheLocalStoreServesWithANoticeThatTheOptionSilences() throws Exception {
        Launched first = start(bare("run", "nightly", "--", "echo", "held"));

        assertThat(first.status()).isZero();
        assertThat(first.out()).isEqualTo("held\n");
        assertThat(first.err())
                .startsWith("lock: ")
                .contains(".holdfast/lock.db")
                .hasLineCount(1);

        Launched second = start(bare("run", "--local", "nightly", "--", "echo", "held"));

        assertThat(second.status()).isZero();
        assertThat(second.err()).as("the notice is silenced").isEmpty();
    }

    @Test
    void theCommandHasTheStreamsOfTheRunAndNoOtherDescriptorOfIt() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "one\ntwo\nthree");
        Path descriptors = folder.resolve("descriptors");

        // No pipe, whose ends the shell would have.
        Launched run =
                start(lock("run", "a", "--", "sh", "-c", "cat; ls /proc/$$/fd >\"$1\"", "sh", descriptors.toString())
                        .redirectInput(input.toFile()));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("one\ntwo\nthree");
        assertThat(run.err()).isEmpty();
        assertThat(Files.readAllLines(descriptors))
                .contains("0", "1", "2")
                .allMatch(descriptor -> Integer.parseInt(descriptor) < 3 || isTheShells(descriptor));
    }

    /** dash keeps a script or a terminal at 10. */
    private static boolean isTheShells(String descriptor) {
        return descriptor.equals("10");
    }

    @Test
    void aRunInsideARunWithAnotherStoreHoldsBoth() throws Exception {
        Path other = Files.writeString(folder.resolve("other.properties"), sqlite(folder.resolve("other.db")));
        List<String> words = new ArrayList<>(List.of("a", "--"));
        words.addAll(Launched.java(folder));
        words.addAll(List.of("run", "--config", other.toString(), "b", "--", "printenv", "HOLDFAST_RUN"));

        RunHere run = run(words.toArray(String[]::new));

        assertThat(run.status()).as(run.said()).isZero();
        assertThat(run.out().strip()).as("the ids of both").matches("([0-9a-f]{32}:)+[0-9a-f]{32}");
        assertThat(run.said()).isEmpty();
    }
}
