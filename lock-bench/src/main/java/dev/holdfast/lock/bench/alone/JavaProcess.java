package dev.holdfast.lock.bench.alone;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A class of ours in a JVM of its own, which says what it has to say line by line. It ends when it is closed, or with this one. */
final class JavaProcess implements AutoCloseable {

    private final String name;
    private final Process process;
    private final BufferedReader said;

    JavaProcess(Class<?> main, List<String> arguments) throws IOException {
        this.name = main.getSimpleName();
        List<String> command = new ArrayList<>(
                List.of(java().toString(), "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        this.process =
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
        this.said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    /** What this JVM was started by. */
    static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** For the class itself: has its JVM end with the input, whatever it is doing. */
    static void endWithInput() {
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
                "ends with the input");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * The next line.
     *
     * @throws IllegalStateException if it has ended instead
     */
    String line() throws IOException {
        @Nullable String line = said.readLine();
        if (line == null) {
            throw new IllegalStateException(
                    name + " has ended with " + process.onExit().join().exitValue());
        }
        return line;
    }

    /** Ends it as a crash would (SIGKILL), and waits until it has ended. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
