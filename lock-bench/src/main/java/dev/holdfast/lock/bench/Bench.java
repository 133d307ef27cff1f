package dev.holdfast.lock.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.lock.bench.alone.Observation;
import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.measure.Figure;
import dev.holdfast.lock.bench.measure.Measurement;
import dev.holdfast.lock.bench.measure.Outcome;
import dev.holdfast.lock.bench.measure.Rounds;
import dev.holdfast.lock.bench.measure.Servers;
import dev.holdfast.lock.bench.peer.Candidates;
import dev.holdfast.lock.bench.report.Environment;
import dev.holdfast.lock.bench.report.Report;
import dev.holdfast.lock.bench.report.Summary;
import dev.holdfast.lock.bench.server.Workplace;
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
 * Measures Holdfast and what a user would pick instead, in alternate rounds of one run, on a Redis and a PostgreSQL of its own;
 * and then what Holdfast costs by itself. Prints tables, and leaves the figures of all rounds and plots in a directory.
 */
public final class Bench {

    /** The property that says where the results go unless the command line does. */
    private static final String DIRECTORY = "holdfast.bench.out";

    /** The property that says where the command line is built. */
    private static final String JAR = "holdfast.bench.jar";

    /** For one observation: a hang. */
    private static final Duration HANG = Duration.ofMinutes(5);

    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private final PrintStream page;
    private final PrintStream progress;

    private Bench(PrintStream page, PrintStream progress) {
        this.page = page;
        this.progress = progress;
    }

    /** @param arguments see {@link Arguments#USAGE} */
    public static void main(String[] arguments) throws Exception {
        PrintStream page = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        PrintStream progress = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
        if (List.of(arguments).contains("--help")) {
            page.print(Arguments.USAGE);
            return;
        }
        try {
            Arguments asked = Arguments.read(
                    List.of(arguments),
                    Candidates.all(),
                    Path.of(System.getProperty(JAR, "lock-cli/target/lock.jar")),
                    Path.of(System.getProperty(DIRECTORY, "target/bench")),
                    new Random().nextInt(Integer.MAX_VALUE));
            System.exit(new Bench(page, progress).run(asked) ? 0 : FAILED);
        } catch (Arguments.Wrong e) {
            progress.println("lock bench: " + e.getMessage());
            progress.print(Arguments.USAGE);
            System.exit(USAGE);
        } catch (InterruptedException e) {
            progress.println("lock bench: interrupted, nothing was written");
        }
    }

    private boolean run(Arguments asked) throws Exception {
        Files.createDirectories(asked.directory()); // who cannot write there hears of it before all is measured
        Workplace workplace = Workplace.open();
        Thread main = Thread.currentThread();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            main.interrupt(); // what is measured from now on is of no interest
                            workplace.close();
                        },
                        "removes everything"));
        progress.println("starting a Redis and a PostgreSQL …");
        Servers servers = Servers.start(workplace);
        Environment environment = Environment.of(servers.facts(), asked.effort(), asked.seed());
        long start = System.nanoTime();
        List<Measurement> measurements;
        try (Rounds rounds = new Rounds(asked.effort(), asked.scenarios(), asked.candidates(), servers, asked.seed())) {
            measurements = rounds.measure(
                    each -> progress.println(line(each, asked.effort().rounds())));
        }
        List<Observed> observations = observe(asked.observations(), servers);
        Report report = new Report(environment, asked.candidates(), new Summary(measurements), observations);
        report.lines().forEach(page::println);
        report.write(asked.directory());
        progress.println("measured in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)
                + " s; all figures and plots are in " + asked.directory().toAbsolutePath());
        return measurements.stream().noneMatch(each -> each.outcome() instanceof Outcome.Failed)
                && observations.stream().noneMatch(each -> each.result() instanceof Observed.Failed);
    }

    private List<Observed> observe(List<Observation> observations, Servers servers) throws InterruptedException {
        List<Observed> all = new ArrayList<>();
        for (Observation observation : observations) {
            long start = System.nanoTime();
            Observed observed = Observed.of(observation, servers.cleared(), HANG);
            progress.println("alone  " + observed.id() + "  "
                    + observed.missing().orElse(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + " s"));
            all.add(observed);
        }
        return all;
    }

    private static String line(Measurement measurement, int rounds) {
        return "round " + measurement.round() + "/" + rounds + "  "
                + measurement.scenario().id() + "  " + measurement.candidate().id() + "  " + text(measurement);
    }

    private static String text(Measurement measurement) {
        if (measurement.outcome() instanceof Outcome.Measured measured) {
            return measurement.scenario().figures().stream()
                    .flatMap(figure -> measured.reading().value(figure).map(value -> text(figure, value)).stream())
                    .collect(Collectors.joining(", "));
        }
        return ((Outcome.Missing) measurement.outcome()).why();
    }

    private static String text(Figure figure, double value) {
        String number = figure.title() + " " + figure.text(value);
        return figure.unit().isEmpty() ? number : number + " " + figure.unit();
    }
}
