package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A process of its own, which is told and tells things line by line, and leaves files named after it. */
final class Worker implements AutoCloseable {

    private final String name;
    private final Path errors;
    private final Process process;
    private final BufferedReader said;
    private final Writer told;

    /**
     * Starts it, and waits until it has opened its locks.
     *
     * @param program has a {@code main} that takes the configuration of its locks, the file of its claims, and these arguments
     * @param name unique in the directory
     */
    static Worker start(
            Class<?> program, Path directory, String name, Properties locks, History history, List<String> arguments)
            throws IOException {
        Path configuration = directory.resolve(name + ".properties");
        try (Writer to = Files.newBufferedWriter(configuration)) {
            locks.store(to, null);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-Dorg.slf4j.simpleLogger.log.dev.holdfast.lock.failover=info",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                configuration.toString(),
                history.fileOf(name).toString()));
        command.addAll(arguments);
        Path errors = directory.resolve(name + ".log");
        return new Worker(
                name,
                errors,
                new ProcessBuilder(command).redirectError(errors.toFile()).start());
    }

    private Worker(String name, Path errors, Process process) {
        this.name = name;
        this.errors = errors;
        this.process = process;
        this.said = process.inputReader(StandardCharsets.UTF_8);
        this.told = process.outputWriter(StandardCharsets.UTF_8);
    }

    String name() {
        return name;
    }

    /** Waits for the next line, and returns what follows this word in it. */
    String awaitSaid(String word) throws IOException {
        String line = said.readLine();
        assertThat(line)
                .as(() -> "what " + name + " says, which logged: " + log())
                .startsWith(word);
        return line.substring(word.length()).strip();
    }

    void tell(String line) throws IOException {
        told.write(line + "\n");
        told.flush();
    }

    /** Ends what it is told. */
    void endInput() throws IOException {
        told.close();
    }

    /** What it has logged so far. */
    String log() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Sends it a signal: STOP, CONT. */
    void signal(String signal) {
        Signals.send(signal, process.toHandle());
    }

    /** Waits until it has ended by itself, and well, and returns what else it has said. */
    List<String> awaitEnd() throws InterruptedException {
        List<String> rest = said.lines().toList();
        assertThat(process.waitFor())
                .as(() -> "exit status of " + name + ", which logged: " + log())
                .isZero();
        return rest;
    }

    /** Kills it if it has not ended. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
