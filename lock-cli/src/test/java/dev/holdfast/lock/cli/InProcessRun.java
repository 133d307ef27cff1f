package dev.holdfast.lock.cli;

import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * {@code lock run ...} within this process, on a thread of its own. Its command is a real process, whose streams are redirected to
 * files: those of this process belong to the build.
 */
final class InProcessRun {

    private final FutureTask<CliInvocation> invocation;
    private final Thread thread;
    private final Path stdout;

    private InProcessRun(List<String> words, Path stdout) {
        this.stdout = stdout;
        invocation = new FutureTask<>(() -> CliInvocation.nonInteractive(words.toArray(String[]::new)));
        thread = new Thread(invocation, "lock run");
        thread.setDaemon(true);
    }

    /** @param arguments what follows {@code run}; what follows the first {@code --} is the command */
    static InProcessRun start(Path folder, List<String> arguments) throws IOException {
        Path stdout = Files.createTempFile(folder, "out", ".txt");
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(arguments);
        String redirecting = "out=$1; shift; exec \"$@\" </dev/null >\"$out\" 2>&1";
        words.addAll(words.indexOf("--") + 1, List.of("/bin/sh", "-c", redirecting, "sh", stdout.toString()));
        InProcessRun run = new InProcessRun(words, stdout);
        run.thread.start();
        return run;
    }

    /** Waits for the end. */
    int exitStatus() throws Exception {
        return Await.result(invocation).exitStatus();
    }

    /** The messages of {@code lock}: waits for the end. */
    String stderr() throws Exception {
        return Await.result(invocation).stderr();
    }

    /** The output of the command: waits for the end. */
    String stdout() throws Exception {
        exitStatus();
        return Files.readString(stdout);
    }

    /** Waits for an effect of the run while it runs. */
    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, () -> invocation.isDone() || condition.call());
        if (!condition.call()) {
            throw new AssertionError(
                    "the run ended with " + exitStatus() + ", without " + what + "; its messages: " + stderr());
        }
    }

    /** Waits until the run has written a line to a file. */
    void awaitLine(Path file) throws Exception {
        await("a line in " + file, () -> Files.exists(file) && Files.size(file) > 0);
    }

    /** Interrupts the run: it stops waiting for the lock, or terminates its command. */
    void interrupt() throws InterruptedException {
        thread.interrupt();
        thread.join(Await.HANG.toMillis());
    }

    /** Interrupts the run again and again: it cannot wait for the end of its command either. */
    void interruptUntilEnd() throws InterruptedException {
        long giveUpAt = System.nanoTime() + Await.HANG.toNanos();
        while (thread.isAlive() && System.nanoTime() - giveUpAt < 0) {
            thread.interrupt();
            thread.join(1);
        }
    }
}
