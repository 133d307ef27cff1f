package dev.holdfast.lock.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of the watcher whose run was killed; what it ends before is in {@code KilledIT}. */
class WatcherTest {

    @TempDir
    private Path folder;

    /** A command whose pid the run had no time to send may still be about to appear. */
    @Test
    void watcher_whenRunWasKilledBeforeItNamedItsCommand_searchesUntilLeaseIsOver() throws Exception {
        long until = now() + 300;

        awaitEndOfWatcher("lease " + until + "\n");

        assertThat(now()).isGreaterThanOrEqualTo(until);
    }

    @Test
    void watcher_whenRunHadNamedItsCommandWhichHasEnded_endsBeforeLeaseIsOver() throws Exception {
        Process command = new ProcessBuilder("true").start();
        assertThat(command.waitFor()).isZero();
        long inAnHour = now() + 100 * 3600;

        awaitEndOfWatcher("lease " + inAnHour + "\ncommand " + command.pid() + " 1\n");
    }

    /** Has a watcher read these lines and then the end of its input. */
    private void awaitEndOfWatcher(String lines) throws Exception {
        Path script = folder.resolve("watcher.sh");
        try (InputStream text = Watcher.class.getResourceAsStream("watcher.sh")) {
            Files.copy(text, script);
        }
        Process watcher = new ProcessBuilder(
                        "/bin/sh", script.toString(), UUID.randomUUID().toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (OutputStream input = watcher.getOutputStream()) {
            input.write(lines.getBytes(StandardCharsets.US_ASCII));
        }
        try {
            assertThat(watcher.waitFor(Await.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(watcher.exitValue()).isZero();
        } finally {
            watcher.destroyForcibly();
        }
    }

    /** The clock of the watcher, in hundredths of a second. */
    private static long now() throws Exception {
        String uptime = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
        return Long.parseLong(uptime.replace(".", ""));
    }
}
