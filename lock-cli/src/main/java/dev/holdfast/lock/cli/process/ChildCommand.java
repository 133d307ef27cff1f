package dev.holdfast.lock.cli.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The command that runs under the lock: a child of this process, with its standard streams and environment, guarded by a
 * {@link Watcher}.
 *
 * <p>Thread-safe.
 */
public final class ChildCommand {

    private final Process process;
    private final ProcessTree tree;
    private final Watcher watcher;
    private final Consumer<String> warnings;

    private ChildCommand(Process process, ProcessTree tree, Watcher watcher, Consumer<String> warnings) {
        this.process = process;
        this.tree = tree;
        this.watcher = watcher;
        this.warnings = warnings;
    }

    /**
     * Starts a command directly, without a shell.
     *
     * @param words the command and its arguments
     * @param environment changes the environment that this process was given
     * @param remaining returns the remaining time of the lease; called for each message to the watcher
     * @param wanted whether the command is still to be started; called last, when everything else is ready
     * @param started called as soon as the process exists
     * @param warnings takes failures that do not stop the command
     * @return empty if the command was no longer wanted: then no part of it ran
     * @throws CommandStartException if there is no such command, or it cannot be executed
     * @throws IOException if the watcher cannot be started
     */
    public static Optional<ChildCommand> start(
            List<String> words,
            Consumer<Map<String, String>> environment,
            Supplier<Duration> remaining,
            BooleanSupplier wanted,
            Runnable started,
            Consumer<String> warnings)
            throws CommandStartException, IOException {
        RunId run = RunId.random();
        ProcessBuilder builder = new ProcessBuilder(BlockedQuit.unblocked(words, path()));
        StandardStreams.passTo(builder);
        environment.accept(builder.environment());
        run.addTo(builder.environment());
        Watcher watcher = Watcher.start(run);
        watcher.updateLease(remaining);
        if (!wanted.getAsBoolean()) {
            watcher.dismiss();
            return Optional.empty();
        }
        Process process;
        try {
            process = builder.start();
            started.run();
        } catch (IOException e) {
            watcher.dismiss();
            throw ExecutableLookup.explain(words.get(0), path(), e);
        }
        ChildCommand command = new ChildCommand(process, new ProcessTree(process, run), watcher, warnings);
        command.notifyWatcher(() -> watcher.watch(process));
        return Optional.of(command);
    }

    /**
     * Checks that a command exists, without starting it.
     *
     * @throws CommandStartException if there is no such command, or it cannot be executed
     */
    public static void requireExecutable(String command) throws CommandStartException {
        ExecutableLookup.require(command, path());
    }

    /** The folders in which the system searches for commands; without PATH, those in which Java searches. */
    private static String path() {
        return System.getenv().getOrDefault("PATH", ":/bin:/usr/bin");
    }

    /** Calls the listener when the command has ended; at once if it already has. */
    public void onExit(Runnable listener) {
        CompletableFuture<Void> unused = process.onExit().thenRun(listener);
    }

    /** Whether the command itself still runs. */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** The command's exit status, or 128 + n if signal n ended it; only once it has ended. */
    public int exitStatus() {
        return process.exitValue();
    }

    /** Sends the watcher the end of the lease: if this process is killed, the command is ended by then. */
    public void updateLease(Supplier<Duration> remaining) {
        notifyWatcher(() -> watcher.updateLease(remaining));
    }

    /** Passes a signal on, unless the terminal has sent it to the command as well. */
    public void forward(UnixSignal signal) {
        if (!signal.isOfTerminal() || !ProcFs.sharesTerminal(process)) {
            send(signal);
        }
    }

    /**
     * Sends the command a signal. Java can send only TERM; if the watcher, which sends the others, is gone, TERM replaces any
     * signal that ends a process.
     */
    public void send(UnixSignal signal) {
        if (signal == UnixSignal.TERM) {
            process.destroy();
            return;
        }
        try {
            watcher.signal(signal);
        } catch (IOException e) {
            warnUnwatched();
            if (signal.ends()) {
                process.destroy();
            }
        }
    }

    /** Stops watching: the command has ended by itself, and the processes it left running are left alone. */
    public void detach() {
        notifyWatcher(watcher::dismiss);
    }

    /**
     * Ends the command and all its descendants: TERM, and KILL after the grace period. Returns when none of them is running any
     * more, unless one survives KILL.
     *
     * @param grace how long they may take to end by themselves
     */
    public void terminate(Duration grace) throws InterruptedException {
        tree.terminate(grace, warnings);
        notifyWatcher(watcher::dismiss);
    }

    private void notifyWatcher(Notice notice) {
        try {
            notice.send();
        } catch (IOException e) {
            warnUnwatched();
        }
    }

    private void warnUnwatched() {
        warnings.accept("the watcher process is gone: if this process is killed with SIGKILL, end the command by hand");
    }

    @FunctionalInterface
    private interface Notice {
        void send() throws IOException;
    }
}
