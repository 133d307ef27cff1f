package dev.holdfast.lock.jdbc.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.internal.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code src/spec/Fence.tla} under the model checker: every order of events of a few transactions. */
@Timeout(300)
@Tag("first-build")
class FenceSpecificationTest {

    private static final Path SPECIFICATION = Path.of("src", "spec");

    @TempDir
    Path directory;

    @Test
    void transactions_inEveryState_areSerialInTheOrderOfTokens() throws Exception {
        assertThat(check(""))
                .contains("Model checking completed. No error has been found.")
                .contains(" 0 states left on queue.");
    }

    @Test
    void mutant_withoutTheFirstRule_isFound() throws Exception {
        mutant_withoutARule_isFound("first", "NoLostUpdate");
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"locked, NoLostUpdate", "compare, TokenOrder", "floor, TokenOrder", "afresh, TokenOrder"})
    void mutant_withoutARule_isFound(String rule, String invariant) throws Exception {
        assertThat(check(rule)).contains("Invariant " + invariant + " is violated.");
    }

    /** What the model checker says of the specification without a rule. */
    private String check(String without) throws IOException, InterruptedException {
        Path specification = Files.copy(SPECIFICATION.resolve("Fence.tla"), directory.resolve("Fence.tla"));
        Path configuration = directory.resolve("Fence.cfg");
        Files.writeString(
                configuration,
                Files.readString(SPECIFICATION.resolve("Fence.cfg"))
                        .replace("Without = \"\"", "Without = \"" + without + "\""));
        Path output = directory.resolve("output");
        List<String> command = JavaCommand.of(
                tlc2.TLC.class,
                directory,
                List.of(
                        "-metadir",
                        directory.toString(),
                        "-config",
                        configuration.toString(),
                        specification.toString()));
        Process checker = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            checker.waitFor();
        } finally {
            checker.destroyForcibly();
        }
        return Files.readString(output);
    }
}
