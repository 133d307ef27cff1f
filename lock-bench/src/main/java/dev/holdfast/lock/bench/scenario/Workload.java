package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.List;

/**
 * The amount of measurement.
 *
 * @param rounds in each of which every candidate takes its turn
 * @param warmUpPairs of acquire and release, by the first process of a candidate before its first turn
 * @param rehearsal how long a candidate goes through a contended scenario before the scenario is measured
 * @param pairs of an uncontended lock, per round; fewer if they take ten seconds
 * @param threads the numbers of concurrent threads, each with its own lock
 * @param loops how long each of these threads loops
 * @param handovers from one process to another, per round
 * @param limit of one turn
 */
public record Workload(
        int rounds,
        int warmUpPairs,
        Duration rehearsal,
        int pairs,
        List<Integer> threads,
        Duration loops,
        int handovers,
        Duration limit) {

    /** Half an hour to an hour. The warm-up is long enough for the JIT compiler to compile a large library, too. */
    public static final Workload FULL = new Workload(
            5,
            12_000,
            Duration.ofSeconds(20),
            20_000,
            List.of(1, 2, 4, 8, 16, 32, 64),
            Duration.ofSeconds(1),
            30,
            Duration.ofSeconds(60));

    /** Pairs of acquire and release by each process of a candidate before a cold turn. */
    static final int COLD_PAIRS = 2_000;

    /** A first look. */
    public static final Workload QUICK = new Workload(
            2, 500, Duration.ofMillis(500), 500, List.of(8, 64), Duration.ofMillis(300), 10, Duration.ofSeconds(60));

    public Workload withRounds(int number) {
        return new Workload(number, warmUpPairs, rehearsal, pairs, threads, loops, handovers, limit);
    }

    /** A description for the report. */
    public String text() {
        return rounds + (rounds == 1 ? " round; " : " rounds; ") + warmUpPairs + " pairs of warm-up and "
                + DurationText.format(rehearsal) + " of contended warm-up; per round " + pairs + " pairs, " + handovers
                + " hand-overs and " + loops.toMillis() + " ms of each number of threads"
                + (rounds > Scenarios.CURVE_ROUNDS
                        ? " (1, 2 and 4 in the first " + Scenarios.CURVE_ROUNDS + " rounds only)"
                        : "")
                + "; at most " + limit.toSeconds() + " s for a turn";
    }
}
