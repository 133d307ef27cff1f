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
 * {@code lock run …} within this process, on a thread of its own. Its command is a real process, whose streams are files: those
 * of this process are the build's.
 */
final class RunHere {

    private final FutureTask<Asked> asking;
    private final Thread thread;
    private final Path out;

    private RunHere(List<String> words, Path out) {
        this.out = out;
        asking = new FutureTask<>(() -> Asked.alone(words.toArray(String[]::new)));
        thread = new Thread(asking, "lock run");
        thread.setDaemon(true);
    }

    /** @param arguments what follows {@code run}; what follows the first {@code --} is the command */
    static RunHere start(Path folder, List<String> arguments) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(arguments);
        String redirecting = "out=$1; shift; exec \"$@\" </dev/null >\"$out\" 2>&1";
        words.addAll(words.indexOf("--") + 1, List.of("/bin/sh", "-c", redirecting, "sh", out.toString()));
        RunHere run = new RunHere(words, out);
        run.thread.start();
        return run;
    }

    /** Waits for the end. */
    int status() throws Exception {
        return Await.result(asking).status();
    }

    /** What {@code lock} has said: waits for the end. */
    String said() throws Exception {
        return Await.result(asking).said();
    }

    /** What the command has printed: waits for the end. */
    String out() throws Exception {
        status();
        return Files.readString(out);
    }

    /** Waits for what comes of it while it runs. */
    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, () -> asking.isDone() || condition.call());
        if (!condition.call()) {
            throw new AssertionError("it ended with " + status() + ", without " + what + "; it said: " + said());
        }
    }

    /** Waits until a file holds a line, which it writes. */
    void awaitLine(Path file) throws Exception {
        await("a line in " + file, () -> Files.exists(file) && Files.size(file) > 0);
    }

    boolean isAlive() {
        return !asking.isDone();
    }

    /** Interrupts it: what waits gives up, and what runs a command ends it. */
    void end() throws InterruptedException {
        thread.interrupt();
        thread.join(Await.HANG.toMillis());
    }
}
