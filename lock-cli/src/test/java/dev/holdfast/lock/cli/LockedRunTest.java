package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.cli.output.Messages;
import dev.holdfast.lock.cli.process.SignalRouter;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A command under a lease that fails. */
class LockedRunTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
    private Duration remaining = Duration.ofSeconds(30);
    private boolean released;

    @Test
    void runUnder_whenMonitorFails_terminatesCommandAndKeepsLease() throws Exception {
        Path up = folder.resolve("up");

        assertThatIllegalStateException()
                .isThrownBy(() ->
                        run("sh", "-c", "echo $$ >" + up + "; exec sleep 1000").runUnder(new FailingLease(up), "x"))
                .withMessage("no more threads");

        assertThat(ProcessHandle.of(Long.parseLong(Files.readString(up).strip())))
                .isEmpty();
        assertThat(released).isFalse();
    }

    @Test
    void runUnder_whenLeaseIsOver_startsNothing() throws Exception {
        Path up = folder.resolve("up");
        remaining = Duration.ZERO;

        assertThat(run("touch", up.toString()).runUnder(new FailingLease(up), "x"))
                .isEqualTo(76);

        assertThat(up).doesNotExist();
        assertThat(stderr.toString(UTF_8))
                .startsWith("lock: lost 'a' in the x store: ")
                .contains("before the command could start");
        assertThat(released).isFalse();
    }

    private LockedRun run(String... command) {
        LockedRun.Options options = new LockedRun.Options(
                "a",
                Share.EXCLUSIVE,
                Optional.empty(),
                Optional.of(Duration.ofSeconds(30)),
                Duration.ZERO,
                false,
                List.of(command));
        return new LockedRun(
                options,
                new StoreConfig(StoreConfig.Source.LOCAL, Optional.empty()),
                new Messages(new PrintStream(stderr, true, UTF_8)),
                new SignalRouter(Thread.currentThread()));
    }

    /** Held; fails when a listener is added, at a time when the command already runs. */
    private final class FailingLease implements Lease {

        @Override
        public void extend(Duration length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void holdAtLeast(Duration minimum) {
            throw new UnsupportedOperationException();
        }

        private final Path up;

        FailingLease(Path up) {
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
        public void removeLossListener(LossListener unused) {}

        @Override
        public boolean release() {
            released = true;
            return true;
        }

        @Override
        public CompletableFuture<Boolean> releaseAsync() {
            return CompletableFuture.completedFuture(release());
        }

        @Override
        public void close() {
            released = true;
        }
    }
}
