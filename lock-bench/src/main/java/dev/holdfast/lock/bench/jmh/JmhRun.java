package dev.holdfast.lock.bench.jmh;

import static java.util.Objects.requireNonNull;

import dev.holdfast.lock.bench.measurement.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the benchmarks of this package. Each gives the time and the allocated bytes of an operation. */
public final class JmhRun {

    /** Not the options of this JVM, which may compile less. */
    private static final String JVM_OPTION = "-XX:+UseSerialGC";

    private static final String ALLOCATED_BYTES = "gc.alloc.rate.norm";

    private JmhRun() {}

    /**
     * Runs all benchmarks.
     *
     * @param forks the number of JVMs, one after another; 0 for this one
     * @param iterations in each JVM, after as many of warm-up
     */
    public static List<Quantity> run(int forks, int iterations, int iterationMillis) throws RunnerException {
        System.setProperty("jmh.ignoreLock", "true"); // JMH's lock is a file that stays behind
        TimeValue time = TimeValue.milliseconds(iterationMillis);
        Options options = new OptionsBuilder()
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .forks(forks)
                .jvmArgs(JVM_OPTION)
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .addProfiler(GCProfiler.class)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        List<Quantity> quantities = new ArrayList<>();
        for (RunResult result : new Runner(options).run()) {
            String what = result.getPrimaryResult().getLabel();
            // JMH reports the time of one thread, in which each of the others did as much.
            int threads = result.getParams().getThreads();
            quantities.add(new Quantity(what, result.getPrimaryResult().getScore() / threads, "ns"));
            Result<?> bytes = requireNonNull(result.getSecondaryResults().get(ALLOCATED_BYTES));
            quantities.add(new Quantity(what, bytes.getScore(), "bytes"));
        }
        return quantities;
    }
}
