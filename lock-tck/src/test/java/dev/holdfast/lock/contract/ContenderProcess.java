package dev.holdfast.lock.contract;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contenders;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process that acquires random locks and records its holds, until it is told to end. */
@SuppressWarnings("SystemOut") // a pipe to the process that started this one, and a file
public final class ContenderProcess implements AutoCloseable {

    private static final String READY = "ready";

    private final String name;
    private final Process process;
    private final Path errors;

    private ContenderProcess(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
    }

    /**
     * Starts a process.
     *
     * @param name the unique name of the process in the history
     * @param directory for its files
     * @param history records its holds
     * @param settings of its locks
     * @param names of the locks
     * @param seed of its random decisions
     */
    public static ContenderProcess start(
            String name, Path directory, History history, Map<?, ?> settings, List<String> names, long seed)
            throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        Path file = directory.resolve(name + ".properties");
        try (Writer to = Files.newBufferedWriter(file)) {
            properties.store(to, null);
        }
        Path errors = directory.resolve(name + ".errors");
        List<String> arguments = List.of(
                file.toString(), history.fileOf(name).toString(), String.join("\n", names), Long.toString(seed));
        Process process = new ProcessBuilder(JavaCommand.of(ContenderProcess.class, directory, arguments))
                .redirectError(errors.toFile())
                .start();
        return new ContenderProcess(name, process, errors);
    }

    /** Waits until it has opened its locks. */
    public void awaitReady() throws IOException {
        String said = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (!READY.equals(said)) {
            throw new AssertionError(
                    name + " printed " + said + " instead of " + READY + ": " + Files.readString(errors));
        }
    }

    /** The operating system's process, to be killed and stopped. */
    public Process process() {
        return process;
    }

    /** Ends it; fails with its errors if it does not end with status 0. */
    public void end() throws IOException, InterruptedException {
        process.outputWriter(StandardCharsets.UTF_8).close();
        if (!process.waitFor(Await.SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError(name + " failed: " + process + "; " + Files.readString(errors));
        }
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Arguments: the settings of the locks, the file for its claims, the names of the locks in lines, the seed. */
    public static void main(String[] arguments) throws Exception {
        Random random = new Random(Long.parseLong(arguments[3]));
        List<String> names = List.of(arguments[2].split("\n"));
        try (Claims claims = Claims.to(Path.of(arguments[1]));
                Locks locks = LocksOpener.open(Path.of(arguments[0]))) {
            System.out.println(READY);
            AtomicBoolean over = new AtomicBoolean();
            Thread orders = new Thread(() -> awaitEnd(over), "orders");
            orders.setDaemon(true);
            orders.start();
            while (!over.get()) {
                try {
                    Contenders.takeOnce(locks, names, claims, random);
                } catch (LockUnavailableException e) {
                    System.err.println(e); // and retries
                }
            }
        }
    }

    private static void awaitEnd(AtomicBoolean over) {
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (orders.readLine() != null) {
                // nothing is sent but the end of the stream
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            over.set(true);
        }
    }
}
