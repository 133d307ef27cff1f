package dev.holdfast.lock.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command that has to end gets TERM, and KILL if it does not end. */
class ChildCommandTest {

    @TempDir
    private Path folder;

    private final List<String> warnings = new ArrayList<>();

    @Test
    void terminate_whenCommandObeysTerm_commandEndsByItselfWithinGrace() throws Exception {
        ChildCommand command = started("trap 'exit 3' TERM");

        command.terminate(Await.HANG);

        assertThat(command.isRunning()).isFalse();
        assertThat(command.exitStatus()).isEqualTo(3);
        assertThat(warnings).isEmpty();
    }

    @Test
    void terminate_whenCommandIgnoresTerm_commandIsKilled() throws Exception {
        ChildCommand command = started("trap '' TERM");

        command.terminate(Duration.ofMillis(100));

        assertThat(command.isRunning()).isFalse();
        assertThat(command.exitStatus()).isEqualTo(137);
        assertThat(warnings).isEmpty();
    }

    private ChildCommand started(String trap) throws Exception {
        Path up = folder.resolve("up");
        // The shell would say so if its sleep is ended before it.
        String script = "exec 2>/dev/null; " + trap + "; echo >\"$0\"; while :; do sleep 0.01; done";
        ChildCommand command = ChildCommand.start(
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
