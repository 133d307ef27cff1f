package dev.holdfast.lock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One real process, usually {@code java -jar lock.jar}, with its output redirected to files. */
public final class CliProcess {

    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private CliProcess(Process process, Path stdout, Path stderr) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    static CliProcess start(Path folder, ProcessBuilder builder) throws IOException {
        Path stdout = Files.createTempFile(folder, "out", ".txt");
        Path stderr = Files.createTempFile(folder, "err", ".txt");
        builder.redirectOutput(stdout.toFile()).redirectError(stderr.toFile());
        return new CliProcess(builder.start(), stdout, stderr);
    }

    /** {@code java -jar lock.jar ...}, with the launcher's options for speed. */
    static ProcessBuilder builder(Path home, List<String> arguments) {
        List<String> words = new ArrayList<>(java(home));
        words.addAll(arguments);
        return new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile());
    }

    /** The words before its arguments. */
    public static List<String> java(Path home) {
        return java(home, TestArchive.OPTIONS);
    }

    static List<String> java(Path home, List<String> archiveOptions) {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileThresholdScaling=5",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC"));
        words.addAll(archiveOptions);
        words.addAll(
                List.of("-Duser.home=" + home, "-Djava.io.tmpdir=" + home, "-jar", System.getProperty("lock.jar")));
        return words;
    }

    /** The words quoted for a shell. */
    public static String quoted(List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /** Adds an option of the virtual machine. */
    static ProcessBuilder option(ProcessBuilder builder, String option) {
        builder.command().add(builder.command().indexOf("-jar"), option);
        return builder;
    }

    Process process() {
        return process;
    }

    /** Waits for the end. */
    int exitStatus() throws InterruptedException {
        assertThat(process.waitFor(Await.SECONDS, TimeUnit.SECONDS))
                .as("the process ends; its messages: %s", read(stderr))
                .isTrue();
        return process.exitValue();
    }

    /** All of its standard output: waits for the end. */
    String stdout() throws InterruptedException {
        exitStatus();
        return read(stdout);
    }

    /** All of its standard error: waits for the end. */
    String stderr() throws InterruptedException {
        exitStatus();
        return read(stderr);
    }

    /** Its standard output until now. */
    String stdoutSoFar() {
        return read(stdout);
    }

    /** Waits for an effect of the process while it runs. */
    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, () -> !process.isAlive() || condition.call());
        if (!condition.call()) {
            throw new AssertionError("the process ended with " + process.exitValue() + ", without " + what
                    + "; its messages: " + read(stderr));
        }
    }

    /** Waits until the process has written a line to a file. */
    void awaitLine(Path file) throws Exception {
        await("a line in " + file, () -> Files.exists(file) && Files.size(file) > 0);
    }

    /** Sends it a signal. */
    void send(String signal) {
        Signals.send(signal, process.toHandle());
    }

    /** The virtual machine that it has started, such as a terminal for it. */
    ProcessHandle java() {
        return process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("/java"))
                .findFirst()
                .orElseThrow();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
