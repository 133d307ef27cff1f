package dev.holdfast.lock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.bench.measurement.Result.Status;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.report.Report;
import dev.holdfast.lock.bench.report.RunEnvironment;
import dev.holdfast.lock.bench.report.Summary;
import dev.holdfast.lock.bench.scenario.Comparison;
import dev.holdfast.lock.bench.scenario.Comparison.Turn;
import dev.holdfast.lock.bench.scenario.Scenario.Sample;
import dev.holdfast.lock.bench.scenario.Workload;
import dev.holdfast.lock.bench.server.BenchServers;
import dev.holdfast.lock.bench.server.Workspace;
import dev.holdfast.lock.bench.solo.SoloResult;
import dev.holdfast.lock.bench.solo.SoloScenario;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * {@code lock bench}: measures Holdfast and its alternatives in alternate rounds of one run, on servers of its own, and then what Holdfast costs by itself. Prints tables, and writes all figures and charts into a directory.
 */
public final class Bench {

    private static final String DIRECTORY_PROPERTY = "holdfast.bench.out";
    private static final String JAR_PROPERTY = "holdfast.bench.jar";

    /** For one solo scenario: a hang. */
    private static final Duration SOLO_LIMIT = Duration.ofMinutes(5);

    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    private final PrintStream progress = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);

    private Bench() {}

    /** @param arguments see {@link BenchArguments#USAGE} */
    public static void main(String[] arguments) throws Exception {
        Bench bench = new Bench();
        if (List.of(arguments).contains("--help")) {
            bench.out.print(BenchArguments.USAGE);
            return;
        }
        try {
            BenchArguments parsed = BenchArguments.parse(
                    List.of(arguments),
                    Candidates.all(),
                    Path.of(System.getProperty(JAR_PROPERTY, "lock-cli/target/lock.jar")),
                    Path.of(System.getProperty(DIRECTORY_PROPERTY, "target/bench")),
                    new Random().nextInt(Integer.MAX_VALUE));
            System.exit(bench.run(parsed) ? 0 : FAILED);
        } catch (BenchArguments.UsageException e) {
            bench.progress.println("lock bench: " + e.getMessage());
            bench.progress.print(BenchArguments.USAGE);
            System.exit(USAGE);
        } catch (InterruptedException e) {
            bench.progress.println("lock bench: interrupted; no results were written");
        }
    }

    private boolean run(BenchArguments arguments) throws Exception {
        Files.createDirectories(arguments.directory()); // fails early if it cannot
        Workspace workspace = Workspace.open();
        Thread main = Thread.currentThread();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            main.interrupt(); // ends the measurement
                            workspace.close();
                        },
                        "closes the workspace"));
        progress.println("starting a Redis and a PostgreSQL" + (arguments.needsMariaDb() ? " and a MariaDB …" : " …"));
        BenchServers servers = BenchServers.start(workspace, arguments.needsMariaDb());
        Workload workload = arguments.workload();
        List<String> facts = new ArrayList<>(servers.facts());
        facts.add(workload.text());
        RunEnvironment environment =
                RunEnvironment.of(Comparison.JVM_OPTIONS, facts, workload.rounds(), arguments.seed());

        long start = System.nanoTime();
        List<Turn> turns;
        try (Comparison comparison = new Comparison(workload, servers, arguments.seed())) {
            turns = comparison.measure(
                    arguments.scenarios(),
                    arguments.candidates(),
                    turn -> progress.println("round " + turn.round() + "/" + workload.rounds() + "  "
                            + turn.scenario().id() + "  " + turn.candidate().id() + "  " + text(turn)));
        }
        List<SoloResult> soloResults = runSolo(arguments.soloScenarios(), servers);
        Report report = new Report(environment, arguments.candidates(), new Summary(turns), soloResults);
        report.lines().forEach(out::println);
        report.write(arguments.directory());
        progress.println("measured in " + seconds(start) + " s; all figures and charts are in "
                + arguments.directory().toAbsolutePath());
        return turns.stream().noneMatch(turn -> turn.result().status() == Status.FAILED)
                && soloResults.stream().noneMatch(solo -> solo.result().status() == Status.FAILED);
    }

    private List<SoloResult> runSolo(List<SoloScenario> scenarios, BenchServers servers) throws InterruptedException {
        List<SoloResult> results = new ArrayList<>();
        for (SoloScenario scenario : scenarios) {
            long start = System.nanoTime();
            SoloResult solo = scenario.run(servers.cleared(), SOLO_LIMIT);
            progress.println(
                    "alone  " + solo.id() + "  " + solo.result().missing().orElse(seconds(start) + " s"));
            results.add(solo);
        }
        return results;
    }

    private static long seconds(long start) {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
    }

    private static String text(Turn turn) {
        return turn.result()
                .measured()
                .map(sample -> text(turn, sample))
                .orElse(turn.result().reason());
    }

    private static String text(Turn turn, Sample sample) {
        return turn.scenario().metrics().stream()
                .flatMap(metric ->
                        sample.value(metric).map(value -> metric.title + " " + metric.formatWithUnit(value)).stream())
                .collect(Collectors.joining(", "));
    }
}
