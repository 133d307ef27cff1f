package dev.holdfast.lock.bench.inprocess;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.bench.alone.Observation;
import dev.holdfast.lock.bench.alone.Quantity;
import dev.holdfast.lock.bench.peer.Place;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks of this package, and has two quantities of each: nanoseconds and bytes allocated per operation, whichever
 * thread carried it out.
 *
 * @param forks in how many JVMs, one after the other; 0 for this one
 * @param iterations how often in each, after as many to warm up
 * @param iterationMillis for how long each time
 */
public record InProcess(int forks, int iterations, int iterationMillis) implements Observation {

    /** Of each JVM. The collector is the one of all that is measured. */
    private static final String OPTIONS = "-XX:+UseSerialGC";

    private static final String BYTES = "gc.alloc.rate.norm";

    /** @param benchmarks regular expressions of those to run; all if there are none */
    @SuppressWarnings("SystemOut") // it is run to be read
    public static void main(String[] benchmarks) throws RunnerException {
        new InProcess(3, 5, 1_000).run(VerboseMode.NORMAL, benchmarks).forEach(System.out::println);
    }

    @Override
    public String id() {
        return "in-process";
    }

    @Override
    public String title() {
        return "in process, on a store that costs nothing (JMH)";
    }

    @Override
    public List<Quantity> run(Place place) throws RunnerException {
        return run(VerboseMode.SILENT);
    }

    private List<Quantity> run(VerboseMode verbosity, String... benchmarks) throws RunnerException {
        // One that runs at the same time would be told of by a file, which stays behind.
        System.setProperty("jmh.ignoreLock", "true");
        TimeValue time = TimeValue.milliseconds(iterationMillis);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(forks)
                .jvmArgs(OPTIONS) // not those of this JVM, which may be in a hurry
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .addProfiler(GCProfiler.class)
                .verbosity(verbosity)
                .shouldFailOnError(true);
        for (String benchmark : benchmarks) {
            options.include(benchmark);
        }
        return quantities(new Runner(options.build()).run());
    }

    private static List<Quantity> quantities(Collection<RunResult> results) {
        List<Quantity> quantities = new ArrayList<>();
        for (RunResult result : results) {
            String what = result.getPrimaryResult().getLabel();
            // JMH has how long one thread took: meanwhile each of the others did as much.
            int threads = result.getParams().getThreads();
            quantities.add(new Quantity(what, result.getPrimaryResult().getScore() / threads, "ns"));
            Result<?> bytes = requireNonNull(result.getSecondaryResults().get(BYTES), BYTES);
            quantities.add(new Quantity(what, bytes.getScore(), "bytes"));
        }
        return quantities;
    }
}
