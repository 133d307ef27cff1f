package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command under a lease that does not behave. */
class RunTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private Duration remaining = Duration.ofSeconds(30);
    private boolean released;

    @Test
    void whateverFailsOnceTheCommandRunsItIsEndedAndTheLockKept() throws Exception {
        Path up = folder.resolve("up");

        assertThatIllegalStateException()
                .isThrownBy(() ->
                        run("sh", "-c", "echo $$ >" + up + "; exec sleep 1000").under(new Failing(up), "x"))
                .withMessage("no more threads");

        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(up).strip())))
                .isEmpty();
        assertThat(released).isFalse();
    }

    @Test
    void underALeaseThatIsOverNothingStarts() throws Exception {
        Path up = folder.resolve("up");
        remaining = Duration.ZERO;

        assertThat(run("touch", up.toString()).under(new Failing(up), "x")).isEqualTo(76);

        assertThat(up).doesNotExist();
        assertThat(said.toString(UTF_8)).startsWith("lock: lost 'a': ").contains("before the command could start");
        assertThat(released).isFalse();
    }

    private Run run(String... command) {
        Request request = new Request(
                "a",
                Optional.empty(),
                Optional.of(Duration.ofSeconds(30)),
                Duration.ZERO,
                IfBusy.FAIL,
                List.of(command));
        return new Run(
                request,
                new Store.Local(true),
                new Messages(new PrintStream(said, true, UTF_8)),
                new Stop(Thread.currentThread()));
    }

    /** Held, until somebody wants to hear of its loss: then the command is there already. */
    private final class Failing implements Lease {

        private final Path up;

        Failing(Path up) {
            this.up = up;
        }

        @Override
        public String name() {
            return "a";
        }

        @Override
        public long fencingToken() {
            return 1;
        }

        @Override
        public LeaseState state() {
            return LeaseState.HELD;
        }

        @Override
        public Duration remaining() {
            return remaining;
        }

        @Override
        public void ensureHeld() {}

        @Override
        public void onLost(LossListener unused) {
            Await.until("the command runs", () -> Files.exists(up) && Files.size(up) > 0);
            throw new IllegalStateException("no more threads");
        }

        @Override
        public boolean release() {
            released = true;
            return true;
        }

        @Override
        public void close() {
            released = true;
        }
    }
}
