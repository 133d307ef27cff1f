package dev.holdfast.lock.bench.alone;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.bench.peer.Place;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code lock run}: from its start to the start of the command that it runs. Beside it, what no lock has any part in: a JVM,
 * started the same way, to the first line of its {@code main}; and the command alone.
 *
 * @param jar of the command line, as its module builds it
 * @param times how often; the median counts
 */
public record LockRun(Path jar, int times) implements Observation {

    /** As the launcher starts it. */
    private static final List<String> FLAGS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:+DisplayVMOutputToStderr");

    /** Says when it was started, in nanoseconds since 1970. */
    private static final List<String> COMMAND = List.of("date", "+%s%N");

    @Override
    public String id() {
        return "lock-run";
    }

    @Override
    public String title() {
        return "lock run";
    }

    @Override
    public Optional<String> missing() {
        return Files.isReadable(jar) ? Optional.empty() : Optional.of("there is no " + jar + ": ./lock builds it");
    }

    @Override
    public List<Quantity> run(Place place) throws Exception {
        List<String> main = java("-cp", System.getProperty("java.class.path"), LockRunProcess.class.getName());
        List<String> lockRun = java("-jar", jar.toString(), "run", "bench", "--");
        lockRun.addAll(COMMAND);
        Properties none = new Properties();
        Properties redis = Configuration.redis(place.redisPort(), "run");
        Properties postgreSql = Configuration.postgreSql(place, "run");
        return List.of(
                new Quantity("the command alone", median(COMMAND, none), "ms"),
                new Quantity("a JVM, to the first line of main", median(main, none), "ms"),
                new Quantity("lock run on Redis, to the start of the command", median(lockRun, redis), "ms"),
                new Quantity("lock run on PostgreSQL, to the start of the command", median(lockRun, postgreSql), "ms"));
    }

    private static List<String> java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(JavaProcess.java().toString()));
        command.addAll(FLAGS);
        command.addAll(List.of(arguments));
        return command;
    }

    private double median(List<String> command, Properties settings) throws IOException, InterruptedException {
        long[] nanos = new long[times];
        once(command, settings); // what is read from the disk at first is in memory from now on
        for (int i = 0; i < times; i++) {
            nanos[i] = once(command, settings);
        }
        Arrays.sort(nanos);
        return nanos[times / 2] / 1e6;
    }

    private static long once(List<String> command, Properties settings) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        builder.environment().putAll(Configuration.toEnvironment(settings));
        long start = nanos(Instant.now());
        Process process = builder.start();
        @Nullable String line;
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            line = said.readLine();
        }
        int status = process.waitFor();
        if (line == null || status != 0) {
            throw new IllegalStateException(String.join(" ", command) + " has ended with " + status);
        }
        return Long.parseLong(line) - start;
    }

    /** Since 1970. */
    static long nanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }
}
