package dev.holdfast.lock.bench.solo;

import dev.holdfast.lock.bench.jmh.JmhRun;
import dev.holdfast.lock.bench.measurement.Quantity;
import dev.holdfast.lock.bench.measurement.Result;
import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.server.Endpoints;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A workload that only Holdfast goes through.
 *
 * @param id on the command line and in files, such as {@code held-leases}
 * @param title above its table
 * @param missing the missing requirement; empty if it can run
 */
public record SoloScenario(String id, String title, Optional<String> missing, Procedure procedure) {

    /** Measures once. Anything that it leaves on the servers is in a separate namespace. */
    @FunctionalInterface
    public interface Procedure {
        List<Quantity> measure(Endpoints endpoints) throws Exception;
    }

    public SoloScenario(String id, String title, Procedure procedure) {
        this(id, title, Optional.empty(), procedure);
    }

    /**
     * Runs the scenario once.
     *
     * @param limit after which it is interrupted and abandoned
     */
    public SoloResult run(Endpoints endpoints, Duration limit) throws InterruptedException {
        return new SoloResult(id, title, measure(endpoints, limit));
    }

    private Result<List<Quantity>> measure(Endpoints endpoints, Duration limit) throws InterruptedException {
        if (missing.isPresent()) {
            return Result.missing(Status.SKIPPED, missing.get());
        }
        FutureTask<List<Quantity>> task = new FutureTask<>(() -> procedure.measure(endpoints));
        Thread thread = new Thread(task, "solo-" + id);
        thread.setDaemon(true);
        thread.start();
        try {
            return Result.of(task.get(limit.toNanos(), TimeUnit.NANOSECONDS));
        } catch (ExecutionException e) {
            return Result.missing(Status.FAILED, String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            return Result.missing(Status.FAILED, "did not finish within " + limit.toSeconds() + " s");
        } finally {
            task.cancel(true);
        }
    }

    /**
     * All scenarios, in the order of the report.
     *
     * @param jar of the command line
     * @param soak the duration of the soak
     */
    public static List<SoloScenario> full(Path jar, Duration soak) {
        return List.of(
                HeldLeases.scenario(100_000, Duration.ofSeconds(30)),
                Soak.scenario(soak, 1_000_000),
                RedisTraffic.scenario(6_400, 64, Duration.ofSeconds(15)),
                HolderDeath.scenario(List.of(Duration.ofSeconds(2), Duration.ofSeconds(10))),
                LockRun.scenario(jar, 11),
                Scaling.scenario(
                        8_192,
                        List.of(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024),
                        List.of(1, 2, 4, 8),
                        List.of(1_000, 10_000, 100_000)),
                jmh(2, 5, 500));
    }

    /** A first look. */
    public static List<SoloScenario> quick(Path jar) {
        return List.of(
                HeldLeases.scenario(1_000, Duration.ofSeconds(6)),
                Soak.scenario(Duration.ofSeconds(6), 1_000_000),
                RedisTraffic.scenario(640, 16, Duration.ofSeconds(5)),
                HolderDeath.scenario(List.of(Duration.ofSeconds(2))),
                LockRun.scenario(jar, 3),
                Scaling.scenario(1_024, List.of(1, 8, 64), List.of(1, 4), List.of(1_000)),
                jmh(1, 2, 200));
    }

    private static SoloScenario jmh(int forks, int iterations, int iterationMillis) {
        return new SoloScenario(
                "in-process",
                "in process, on a store that costs nothing (JMH)",
                endpoints -> JmhRun.run(forks, iterations, iterationMillis));
    }
}
