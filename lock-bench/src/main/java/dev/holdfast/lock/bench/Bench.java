package dev.holdfast.lock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

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
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code lock-bench/bench}: measures Holdfast and its alternatives in alternate rounds of one run, on its own servers, and then the
 * cost of Holdfast by itself. Prints tables, and writes all figures and charts into a directory.
 */
@Command(
        name = "bench",
        description = "Measures Holdfast and its alternatives on servers of its own.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        sortSynopsis = false)
public final class Bench implements Callable<Integer> {

    private static final String JAR_PROPERTY = "holdfast.bench.jar";

    /** The limit for one solo scenario, in addition to the time of the soak: beyond it, the scenario hangs. */
    private static final Duration SOLO_LIMIT = Duration.ofMinutes(5);

    private static final int FAILED = 1;

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
    private final PrintStream progress = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);

    @Mixin
    private BenchArguments arguments = new BenchArguments();

    @Spec
    private @Nullable CommandSpec spec;

    private Bench() {}

    /** Runs the benchmark. */
    public static void main(String[] arguments) {
        CommandLine commandLine = new CommandLine(new Bench());
        commandLine.setParameterExceptionHandler((wrong, all) -> {
            commandLine.getErr().println("bench: " + wrong.getMessage() + "\nTry 'bench --help'.");
            return commandLine.getCommandSpec().exitCodeOnInvalidInput();
        });
        System.exit(commandLine.execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        try {
            Path jar = Path.of(System.getProperty(JAR_PROPERTY, "lock-cli/target/lock.jar"));
            return run(arguments.select(Candidates.all(), jar)) ? 0 : FAILED;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(requireNonNull(spec).commandLine(), String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            progress.println("bench: interrupted; no results were written");
            return FAILED;
        }
    }

    private boolean run(BenchArguments.Selection selection) throws Exception {
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
        progress.println("starting a Redis and a PostgreSQL" + (selection.needsMariaDb() ? " and a MariaDB …" : " …"));
        BenchServers servers = BenchServers.start(workspace, selection.needsMariaDb());
        Workload workload = selection.workload();
        List<String> facts = new ArrayList<>(servers.facts());
        facts.add(workload.text());
        RunEnvironment environment =
                RunEnvironment.of(Comparison.JVM_OPTIONS, facts, workload.rounds(), arguments.seed());

        long start = System.nanoTime();
        List<Turn> turns;
        try (Comparison comparison = new Comparison(workload, servers, arguments.seed())) {
            turns = comparison.measure(
                    selection.scenarios(),
                    selection.candidates(),
                    turn -> progress.println("round " + turn.round() + "/" + workload.rounds() + "  "
                            + turn.scenario().id() + "  " + turn.candidate().id() + "  " + text(turn)));
        }
        List<SoloResult> soloResults = runSolo(selection.soloScenarios(), servers);
        Report report = new Report(environment, selection.candidates(), new Summary(turns), soloResults);
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
            SoloResult solo = scenario.run(servers.cleared(), SOLO_LIMIT.plus(arguments.soak()));
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
