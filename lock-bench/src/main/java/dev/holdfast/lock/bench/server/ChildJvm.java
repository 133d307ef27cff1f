package dev.holdfast.lock.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A main class in a JVM of its own, which ends when it is closed or when this JVM ends. The two JVMs exchange lines of text. */
public final class ChildJvm implements AutoCloseable {

    private static final String END = "\0end";

    private final String name;
    private final @Nullable File log;
    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

    /**
     * Starts the JVM.
     *
     * @param options of the JVM
     * @param errors the destination of its standard error
     */
    public ChildJvm(Class<?> main, List<String> options, List<String> arguments, Redirect errors) throws IOException {
        this.name = main.getSimpleName() + " " + String.join(" ", arguments);
        this.log = errors.file();
        // Ctrl-C is for this JVM alone: the child ends with its input. With -Xrs it would listen for tools from its
        // beginning, on a
        // socket in /tmp that it leaves there when it is killed.
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "trap '' INT; exec \"$0\" \"$@\"",
                java().toString(),
                "-Xrs",
                "-XX:+DisableAttachMechanism",
                "-XX:-UsePerfData"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        this.process = new ProcessBuilder(command).redirectError(errors).start();
        this.input = process.outputWriter(UTF_8);
        Thread reader = new Thread(this::read, "reads " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** The java command of this JVM. */
    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** For the main class of a child: makes its JVM end with its input, whatever it is doing. */
    public static void exitOnEndOfInput() {
        Thread reader = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } finally {
                        Runtime.getRuntime().halt(1);
                    }
                },
                "exits on end of input");
        reader.setDaemon(true);
        reader.start();
    }

    public void send(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /**
     * Waits for the next line that the child prints.
     *
     * @throws TimeoutException if none comes until this instant of {@link System#nanoTime()}
     * @throws IllegalStateException if the child has ended
     */
    public String line(long deadline) throws InterruptedException, TimeoutException, IOException {
        @Nullable String line = output.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new TimeoutException(name + " did not reply");
        } else if (line.equals(END)) {
            throw new IllegalStateException(name + " has ended with status "
                    + process.onExit().join().exitValue() + (log == null ? "" : ": " + Files.readString(log.toPath())));
        }
        return line;
    }

    /** {@link #line(long)} without a limit of its own. */
    public String line() throws InterruptedException, TimeoutException, IOException {
        return line(System.nanoTime() + Duration.ofDays(1).toNanos());
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(UTF_8)) {
            lines.lines().forEach(output::add);
        } catch (IOException | UncheckedIOException e) {
            // The child has been killed.
        } finally {
            output.add(END);
        }
    }

    /** Ends the child as a crash does (SIGKILL) and waits until it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
