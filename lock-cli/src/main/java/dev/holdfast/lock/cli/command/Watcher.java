package dev.holdfast.lock.cli.command;

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
 * A small process that outlives a SIGKILL of this one: it reads a pipe of which only this process holds the other end, and
 * when the pipe closes without {@link #done()} it ends the command and its descendants before the lease can end. The script
 * is {@code watcher.sh}.
 *
 * <p>Thread-safe.
 */
final class Watcher {

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final OutputStream pipe;
    private final ReentrantLock writing = new ReentrantLock();

    private Watcher(Process process) {
        this.pipe = process.getOutputStream();
    }

    /**
     * Starts a watcher, and returns when it can no longer be interrupted from a terminal.
     *
     * @throws IOException if there is no {@code /bin/sh} to run it
     */
    static Watcher start(RunId run) throws IOException {
        List<String> words = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            // Then also whoever stops or kills the whole process group does not reach the watcher.
            words.add(SETSID.toString());
        }
        words.addAll(List.of("/bin/sh", "-c", script(), "lock-watcher", run.value()));
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream ready = process.getInputStream()) {
            String said = new String(ready.readAllBytes(), StandardCharsets.US_ASCII);
            if (!said.equals("ready\n")) {
                throw new IOException("/bin/sh could not run the watcher");
            }
        }
        return new Watcher(process);
    }

    private static String script() throws IOException {
        try (InputStream script = Watcher.class.getResourceAsStream("watcher.sh")) {
            if (script == null) {
                throw new IOException("watcher.sh is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The lease lasts as long as this says now, unless told again. */
    void lease(Supplier<Duration> remaining) throws IOException {
        tell("lease " + Uptime.end(remaining));
    }

    /** This is the command. */
    void command(Process command) throws IOException {
        String pid = Long.toString(command.pid());
        String started = ProcessTable.stat(pid).map(ProcessTable.Stat::started).orElse("0");
        if (command.isAlive()) {
            tell("command " + pid + " " + started);
        }
    }

    /** Has the command sent a signal. */
    void send(Signal signal) throws IOException {
        tell("signal " + signal);
    }

    /** The command has ended: the watcher goes. */
    void done() throws IOException {
        tell("done");
    }

    private void tell(String line) throws IOException {
        writing.lock();
        try {
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } finally {
            writing.unlock();
        }
    }
}
