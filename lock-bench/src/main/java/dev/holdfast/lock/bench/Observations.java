package dev.holdfast.lock.bench;

import dev.holdfast.lock.bench.alone.Death;
import dev.holdfast.lock.bench.alone.Growth;
import dev.holdfast.lock.bench.alone.HeldLeases;
import dev.holdfast.lock.bench.alone.LockRun;
import dev.holdfast.lock.bench.alone.Observation;
import dev.holdfast.lock.bench.alone.Traffic;
import dev.holdfast.lock.bench.inprocess.InProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** All that Holdfast goes through alone, in the order of the report. */
final class Observations {

    private Observations() {}

    /**
     * As promised.
     *
     * @param jar of the command line
     */
    static List<Observation> full(Path jar) {
        return List.of(
                HeldLeases.asPromised(),
                Traffic.asPromised(),
                Death.asPromised(),
                new LockRun(jar, 11),
                Growth.asPromised(),
                new InProcess(2, 5, 500));
    }

    /** A first look. */
    static List<Observation> quick(Path jar) {
        return List.of(
                new HeldLeases(1_000, Duration.ofSeconds(6)),
                new Traffic(640, 16, Duration.ofSeconds(5)),
                new Death(List.of(Duration.ofSeconds(2))),
                new LockRun(jar, 3),
                new Growth(1_024, List.of(1, 8, 64), List.of(1, 4), List.of(1_000)),
                new InProcess(1, 2, 200));
    }
}
