package dev.holdfast.lock.cli.command;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The command that runs under the lock: a child of this process, with its standard streams and its environment, watched by a
 * {@link Watcher}.
 *
 * <p>Thread-safe.
 */
public final class Command {

    /** What cannot be killed within this time belongs to somebody else, or hangs in the kernel. */
    private static final Duration UNKILLABLE = Duration.ofSeconds(10);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

    private final Process process;
    private final Family family;
    private final Watcher watcher;
    private final Consumer<String> warnings;

    private Command(Process process, Family family, Watcher watcher, Consumer<String> warnings) {
        this.process = process;
        this.family = family;
        this.watcher = watcher;
        this.warnings = warnings;
    }

    /**
     * Starts a command, directly, by no shell.
     *
     * @param words the command and its arguments
     * @param environment changes the environment that this process was given
     * @param remaining says how long the lease still lasts; asked when that is told to the watcher
     * @param wanted whether the command is still to be started; asked last, when all else is ready
     * @param started run as soon as there is a process
     * @param warnings takes what went wrong without stopping the command
     * @return empty if it was no longer wanted: then nothing of it ran
     * @throws CannotRunException if there is no such command, or it cannot be executed
     * @throws IOException if it cannot be watched
     */
    public static Optional<Command> start(
            List<String> words,
            Consumer<Map<String, String>> environment,
            Supplier<Duration> remaining,
            BooleanSupplier wanted,
            Runnable started,
            Consumer<String> warnings)
            throws CannotRunException, IOException {
        RunId run = RunId.random();
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        environment.accept(builder.environment());
        run.mark(builder.environment());
        Watcher watcher = Watcher.start(run);
        watcher.lease(remaining);
        if (!wanted.getAsBoolean()) {
            watcher.done();
            return Optional.empty();
        }
        Process process;
        try {
            process = builder.start();
            started.run();
        } catch (IOException e) {
            watcher.done();
            throw Lookup.explain(words.get(0), path(), e);
        }
        Command command = new Command(process, new Family(process.toHandle(), run), watcher, warnings);
        command.tell(() -> watcher.command(process));
        return Optional.of(command);
    }

    /**
     * Looks for a command without starting it.
     *
     * @throws CannotRunException if there is no such command, or it cannot be executed
     */
    public static void require(String command) throws CannotRunException {
        Lookup.require(command, path());
    }

    /** Where the system looks for commands; without PATH, where Java has it look. */
    private static String path() {
        return System.getenv().getOrDefault("PATH", ":/bin:/usr/bin");
    }

    /** Has this called when the command has ended; at once if it has. */
    public void onEnd(Runnable listener) {
        CompletableFuture<Void> unused = process.onExit().thenRun(listener);
    }

    /** Whether it still runs. */
    public boolean runs() {
        return process.isAlive();
    }

    /** What it ended with, or 128 + n if it died of signal n; to be asked once it has ended. */
    public int status() {
        return process.exitValue();
    }

    /** The lease lasts as long as this says now: should this process be killed, the command is ended by then. */
    public void lease(Supplier<Duration> remaining) {
        tell(() -> watcher.lease(remaining));
    }

    /** Passes a signal on, unless the terminal sent it to the command as well. */
    public void forward(Signal signal) {
        if (signal != Signal.INT || !Terminal.reaches(process)) {
            send(signal);
        }
    }

    /** Sends it a signal. Without a watcher, which is who can send what Java cannot, that is TERM: an end is asked for. */
    public void send(Signal signal) {
        if (signal == Signal.TERM) {
            process.destroy();
            return;
        }
        try {
            watcher.send(signal);
        } catch (IOException e) {
            unwatched();
            process.destroy();
        }
    }

    /** It has ended by itself; what it left running is left alone. */
    public void leave() {
        tell(watcher::done);
    }

    /**
     * Ends it and all that it started: TERM, and after the grace KILL.
     *
     * @param grace how long they may take to end by themselves
     */
    public void end(Duration grace) throws InterruptedException {
        long killAt = System.nanoTime() + grace.toNanos();
        Set<ProcessHandle> alive = family.alive();
        alive.forEach(ProcessHandle::destroy);
        while (!alive.isEmpty() && System.nanoTime() - killAt < 0) {
            Thread.sleep(LOOK_AGAIN.toMillis());
            alive = family.alive();
        }
        kill();
        tell(watcher::done);
    }

    /** What one look misses, because it was forked meanwhile, the next one finds. */
    private void kill() throws InterruptedException {
        long giveUpAt = System.nanoTime() + UNKILLABLE.toNanos();
        int empty = 0;
        while (empty < 3) {
            Set<ProcessHandle> alive = family.alive();
            alive.forEach(ProcessHandle::destroyForcibly);
            empty = alive.isEmpty() ? empty + 1 : 0;
            if (System.nanoTime() - giveUpAt > 0) {
                warnings.accept("cannot be killed: process "
                        + alive.stream().map(p -> Long.toString(p.pid())).collect(Collectors.joining(", ")));
                return;
            }
            Thread.sleep(LOOK_AGAIN.toMillis());
        }
    }

    private void tell(Message message) {
        try {
            message.tell();
        } catch (IOException e) {
            unwatched();
        }
    }

    private void unwatched() {
        warnings.accept("the watcher is gone: should this process be killed, the command would not be ended");
    }

    @FunctionalInterface
    private interface Message {
        void tell() throws IOException;
    }
}
