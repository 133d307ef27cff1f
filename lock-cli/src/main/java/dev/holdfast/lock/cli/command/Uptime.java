package dev.holdfast.lock.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The clock that this process shares with its {@link Watcher}: the time since boot where the system tells it, which nobody
 * steps and which goes on while the machine is suspended; else the wall clock.
 */
final class Uptime {

    private static final Path PROC = Path.of("/proc/uptime");

    private Uptime() {}

    /**
     * The instant at which what remains will be over, in hundredths of a second; never later than it really is: the clock is
     * read before anybody is asked what remains, so that a pause between the two makes it earlier.
     */
    static long end(Supplier<Duration> remaining) throws IOException {
        long now = now();
        return now + remaining.get().toMillis() / 10;
    }

    private static long now() throws IOException {
        if (!Files.isReadable(PROC)) {
            // The watcher reads whole seconds only: a second less is never too late.
            return (System.currentTimeMillis() / 1000 - 1) * 100;
        }
        String seconds = Files.readString(PROC).split(" ", 2)[0];
        return Long.parseLong(seconds.replace(".", ""));
    }
}
