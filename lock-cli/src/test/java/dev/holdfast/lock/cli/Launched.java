package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One real process, usually {@code java -jar lock.jar}, with its output in files. */
final class Launched {

    private final Process process;
    private final Path out;
    private final Path err;

    private Launched(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static Launched start(Path folder, ProcessBuilder builder) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        return new Launched(builder.start(), out, err);
    }

    /** {@code java -jar lock.jar …}, with the flags that the launcher gives. */
    static ProcessBuilder lock(Path home, List<String> arguments) {
        List<String> words = new ArrayList<>(java(home));
        words.addAll(arguments);
        return new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile());
    }

    static List<String> java(Path home) {
        return java(home, "-XX:SharedArchiveFile=" + ClassArchive.FILE);
    }

    static List<String> java(Path home, String archive) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                archive,
                "-Duser.home=" + home,
                "-Djava.io.tmpdir=" + home,
                "-jar",
                System.getProperty("lock.jar"));
    }

    /** The words as a shell reads them. */
    static String quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /** Adds an option of the virtual machine's. */
    static ProcessBuilder option(ProcessBuilder lock, String option) {
        lock.command().add(lock.command().indexOf("-jar"), option);
        return lock;
    }

    Process process() {
        return process;
    }

    /** Waits for the end. */
    int status() throws InterruptedException {
        assertThat(process.waitFor(Await.SECONDS, TimeUnit.SECONDS))
                .as("it ends; it said: %s", read(err))
                .isTrue();
        return process.exitValue();
    }

    /** All of its standard output: waits for the end. */
    String out() throws InterruptedException {
        status();
        return read(out);
    }

    /** All of its standard error: waits for the end. */
    String err() throws InterruptedException {
        status();
        return read(err);
    }

    /** What it has printed by now. */
    String outSoFar() {
        return read(out);
    }

    /** Waits for what comes of it while it runs. */
    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, () -> !process.isAlive() || condition.call());
        if (!condition.call()) {
            throw new AssertionError(
                    "it ended with " + process.exitValue() + ", without " + what + "; it said: " + read(err));
        }
    }

    /** Waits until a file holds a line, which it writes. */
    void awaitLine(Path file) throws Exception {
        await("a line in " + file, () -> Files.exists(file) && Files.size(file) > 0);
    }

    /** Sends a signal by the shell's own kill. */
    void send(String signal) throws IOException, InterruptedException {
        kill(signal, process.pid());
    }

    static void kill(String signal, long pid) throws IOException, InterruptedException {
        int status = new ProcessBuilder("/bin/sh", "-c", "kill -s " + signal + " " + pid)
                .inheritIO()
                .start()
                .waitFor();
        assertThat(status).as("kill -s %s %d", signal, pid).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
