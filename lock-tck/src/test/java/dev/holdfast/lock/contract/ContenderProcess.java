package dev.holdfast.lock.contract;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.internal.JavaCommand;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contention;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A process whose threads contend for locks and record their holds, until it is told to end. */
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

    /** Starts a process with one thread, which contends for exclusive locks. */
    public static ContenderProcess start(
            String name, Path directory, History history, Map<?, ?> settings, List<String> names, long seed)
            throws IOException {
        return start(name, directory, history, settings, Contention.exclusive(names), 1, seed);
    }

    /**
     * Starts a process.
     *
     * @param name the unique name of the process in the history
     * @param directory for its files
     * @param history records its holds
     * @param settings of its locks
     * @param contention what each of its threads does
     * @param seed of their random decisions
     */
    public static ContenderProcess start(
            String name,
            Path directory,
            History history,
            Map<?, ?> settings,
            Contention contention,
            int threads,
            long seed)
            throws IOException {
        Properties properties = new Properties();
        properties.putAll(settings);
        Path file = directory.resolve(name + ".properties");
        try (Writer to = Files.newBufferedWriter(file)) {
            properties.store(to, null);
        }
        Path errors = directory.resolve(name + ".errors");
        List<String> arguments = List.of(
                file.toString(),
                history.fileOf(name).toString(),
                contention.toText(),
                Integer.toString(threads),
                Long.toString(seed));
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

    /** The operating system's process. */
    public Process process() {
        return process;
    }

    /** Kills it (SIGKILL), and waits until it is dead. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends it a signal: STOP, CONT. */
    public void signal(String signal) {
        Signals.send(signal, process.toHandle());
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

    /** Arguments: the settings of the locks, the file for its claims, the contention, the number of threads, the seed. */
    public static void main(String[] arguments) throws Exception {
        Contention contention = Contention.parse(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        Random seeds = new Random(Long.parseLong(arguments[4]));
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try (Claims claims = Claims.to(Path.of(arguments[1]));
                Locks locks = LocksOpener.open(Path.of(arguments[0]))) {
            System.out.println(READY);
            AtomicBoolean over = new AtomicBoolean();
            Thread orders = new Thread(() -> awaitEnd(over), "orders");
            orders.setDaemon(true);
            orders.start();
            List<Future<?>> contending = new ArrayList<>();
            for (int thread = 0; thread < count; thread++) {
                Random random = new Random(seeds.nextLong());
                contending.add(threads.submit(() -> contend(contention, locks, claims, random, over)));
            }
            for (Future<?> each : contending) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static @Nullable Void contend(
            Contention contention, Locks locks, Claims claims, Random random, AtomicBoolean over) throws Exception {
        while (!over.get()) {
            try {
                contention.takeOnce(locks, claims, random);
            } catch (LockUnavailableException e) {
                System.err.println(e); // and retries
            }
        }
        return null;
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
