package dev.holdfast.lock.bench.solo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.bench.measurement.Percentiles;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.peer.HoldfastPeer;
import dev.holdfast.lock.bench.server.ChildJvm;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * {@code lock run}: from its start to the start of the command that it runs. For comparison, without any lock: a JVM, started the
 * same way, to the first line of {@code main}; and the command alone.
 */
final class LockRun {

    /** The JVM options that the launcher uses. */
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xshare:auto",
            "-XX:+DisplayVMOutputToStderr",
            "-XX:-UsePerfData",
            "-Xlog:disable",
            "-Xlog:all=warning:stderr");

    /** A command that prints its start, in nanoseconds since 1970. */
    private static final List<String> COMMAND = List.of("date", "+%s%N");

    private static final String NAMESPACE = "run";

    private LockRun() {}

    /**
     * The scenario.
     *
     * @param jar of the command line
     * @param times the number of runs, of which the median counts
     */
    static SoloScenario scenario(Path jar, int times) {
        Optional<String> missing = Files.isReadable(jar)
                ? Optional.empty()
                : Optional.of(jar + " does not exist; ./lock --help builds it");
        return new SoloScenario("lock-run", "lock run", missing, endpoints -> {
            List<String> main = java("-cp", System.getProperty("java.class.path"), LockRun.class.getName());
            List<String> run = java("-jar", jar.toString(), "run", "bench", "--");
            run.addAll(COMMAND);
            Properties redis = HoldfastPeer.redis(endpoints.redisPort(), NAMESPACE);
            Properties postgres = HoldfastPeer.database(endpoints, NAMESPACE);
            return List.of(
                    median("the command alone", COMMAND, new Properties(), times),
                    median("a JVM, to the first line of main", main, new Properties(), times),
                    median("lock run on Redis, to the start of the command", run, redis, times),
                    median("lock run on PostgreSQL, to the start of the command", run, postgres, times));
        });
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(ChildJvm.java().toString()));
        command.addAll(JVM_OPTIONS);
        command.addAll(List.of(arguments));
        return command;
    }

    private static Quantity median(String what, List<String> command, Properties settings, int times)
            throws IOException, InterruptedException {
        once(command, settings); // reads files from the disk, which are cached from then on
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            nanos.add(once(command, settings));
        }
        return new Quantity(what, new Percentiles(nanos).median() / 1e6, "ms");
    }

    private static long once(List<String> command, Properties settings) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        builder.environment().putAll(HoldfastPeer.toEnvironment(settings));
        long start = nanos(Instant.now());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0 || output.isEmpty()) {
            throw new IllegalStateException(String.join(" ", command) + " has ended with " + process.exitValue());
        }
        return Long.parseLong(output.strip()) - start;
    }

    private static long nanos(Instant sinceEpoch) {
        return TimeUnit.SECONDS.toNanos(sinceEpoch.getEpochSecond()) + sinceEpoch.getNano();
    }

    /** Prints the time of its start. */
    @SuppressWarnings("SystemOut") // a pipe to the process that started it
    public static void main(String[] arguments) {
        System.out.println(nanos(Instant.now()));
    }
}
