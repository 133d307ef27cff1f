package dev.holdfast.lock.tck;

import dev.holdfast.lock.tck.internal.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A process that runs {@link ChildMain}. It ends with the test at the latest. */
final class ChildProcess implements AutoCloseable {

    private static final int HANGING_AFTER_SECONDS = 180;

    private final Process process;
    private final BufferedReader out;
    private final Path errors;

    ChildProcess(Path directory, int number, Properties configuration, String... arguments) throws IOException {
        this(directory, number, configuration, List.of(), arguments);
    }

    /** @param options of the JVM */
    ChildProcess(Path directory, int number, Properties configuration, List<String> options, String... arguments)
            throws IOException {
        Path file = directory.resolve("lock-" + number + ".properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            configuration.store(out, null);
        }
        errors = directory.resolve("errors-" + number);
        List<String> all = new ArrayList<>(List.of(file.toString()));
        all.addAll(List.of(arguments));
        List<String> command = JavaCommand.of(ChildMain.class, directory, options, all);
        process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The next line with this prefix, which the process must print before it ends. */
    String expect(String prefix) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(prefix)) {
                return line;
            }
        }
        throw new RuleBroken("a process of the test ended before it printed '" + prefix + "': " + errors());
    }

    void start() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** The lines that the process prints until it ends with status 0. */
    List<String> rest() throws IOException, InterruptedException {
        List<String> lines = out.lines().toList();
        if (!process.waitFor(HANGING_AFTER_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new RuleBroken("a process of the test failed: " + errors());
        }
        return lines;
    }

    /** Kills the process, by SIGKILL where there are signals. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    private String errors() throws IOException {
        return Files.readString(errors);
    }

    /** Kills the process if it has not ended. */
    @Override
    public void close() {
        try {
            process.destroyForcibly().waitFor();
            out.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
