package dev.holdfast.lock.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A small process that outlives a SIGKILL of this one. It reads a pipe whose other end only this process holds. When the pipe
 * closes without {@link #dismiss()}, it ends the command and its descendants before the lease can end. The script is
 * {@code watcher.sh}.
 *
 * <p>Thread-safe.
 */
final class Watcher {

    /** The line after the script. */
    private static final String END = "# end of the script";

    /** Reads the script from standard input: as an argument it would fill each line of ps. */
    private static final String LOADER =
            "s=; while IFS= read -r l && [ \"$l\" != '" + END + "' ]; do s=\"$s$l\n\"; done; eval \"$s\"";

    private static final Path SETSID = Path.of("/usr/bin/setsid");
    private static final Path UPTIME = Path.of("/proc/uptime");

    private final OutputStream pipe;
    private final ReentrantLock writing = new ReentrantLock();

    private Watcher(Process process) {
        this.pipe = process.getOutputStream();
    }

    /**
     * Starts a watcher, and returns once a terminal can no longer interrupt it.
     *
     * @throws IOException if there is no {@code /bin/sh} to run it
     */
    static Watcher start(RunId run) throws IOException {
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            // A signal to the whole process group then does not reach the watcher.
            words.add(SETSID.toString());
        }
        words.addAll(List.of("/bin/sh", "-c", LOADER, "lock-watcher", run.value()));
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Watcher watcher = new Watcher(process);
        try (InputStream output = process.getInputStream()) {
            watcher.send(script() + END);
            String greeting = new String(output.readAllBytes(), StandardCharsets.US_ASCII);
            if (!greeting.equals("ready\n")) {
                throw new IOException("it says '" + greeting.strip() + "'");
            }
        } catch (IOException e) {
            throw new IOException(
                    "the command was not started: /bin/sh could not run the watcher process: " + e.getMessage(), e);
        }
        return watcher;
    }

    private static String script() throws IOException {
        try (InputStream script = Watcher.class.getResourceAsStream("watcher.sh")) {
            if (script == null) {
                throw new IOException("watcher.sh is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Sends the end of the lease, which holds until a renewal sends another one. */
    void updateLease(Supplier<Duration> remaining) throws IOException {
        send("lease " + leaseEnd(remaining));
    }

    /** Sends the process of the command. */
    void watch(Process command) throws IOException {
        String pid = Long.toString(command.pid());
        String startTime = ProcFs.stat(pid).map(ProcFs.Stat::startTime).orElse("0");
        if (command.isAlive()) {
            send("command " + pid + " " + startTime);
        }
    }

    /** Requests a signal to the command that Java cannot send. */
    void signal(UnixSignal signal) throws IOException {
        send("signal " + signal);
    }

    /** Ends the watcher: the command has ended. */
    void dismiss() throws IOException {
        send("done");
    }

    private void send(String line) throws IOException {
        writing.lock();
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } finally {
            writing.unlock();
        }
    }

    /**
     * The end of the lease on the clock that the watcher reads, in hundredths of a second, and never later than the real end:
     * the clock is read before the remaining time, so a pause between the two makes the result earlier.
     */
    private static long leaseEnd(Supplier<Duration> remaining) throws IOException {
        long now = now();
        return now + remaining.get().toMillis() / 10;
    }

    /**
     * The time since boot, which is never stepped and continues while the machine is suspended; if there is none, the wall
     * clock.
     */
    private static long now() throws IOException {
        if (!Files.isReadable(UPTIME)) {
            // The watcher reads whole seconds only: a second less is never too late.
            return (System.currentTimeMillis() / 1000 - 1) * 100;
        }
        String seconds = Files.readString(UPTIME).split(" ", 2)[0];
        return Long.parseLong(seconds.replace(".", ""));
    }
}
