package dev.holdfast.lock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that has to end is asked, and killed if it does not. */
class CommandEndTest {

    @TempDir
    private Path folder;

    private final List<String> warnings = new ArrayList<>();

    @Test
    void itIsAskedAndMayEndByItselfWithinTheGrace() throws Exception {
        Command command = started("trap 'exit 3' TERM");

        command.end(Await.HANG);

        assertThat(command.runs()).isFalse();
        assertThat(command.status()).isEqualTo(3);
        assertThat(warnings).isEmpty();
    }

    @Test
    void itIsKilledIfItDoesNotEnd() throws Exception {
        Command command = started("trap '' TERM");

        command.end(Duration.ofMillis(100));

        assertThat(command.runs()).isFalse();
        assertThat(command.status()).isEqualTo(137);
        assertThat(warnings).isEmpty();
    }

    private Command started(String trap) throws Exception {
        Path up = folder.resolve("up");
        String script = trap + "; echo >\"$0\"; while :; do sleep 0.01; done";
        Command command = Command.start(
                        List.of("sh", "-c", script, up.toString()),
                        environment -> {},
                        () -> Duration.ofMinutes(5),
                        () -> true,
                        () -> {},
                        warnings::add)
                .orElseThrow();
        Await.until("it runs", () -> Files.exists(up));
        return command;
    }
}
