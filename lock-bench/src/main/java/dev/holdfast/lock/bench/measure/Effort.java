package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param rounds in each of which every candidate takes its turn
 * @param warmUp pairs of the first process of a candidate before its first turn
 * @param rehearsal for how long a candidate is put through what many do with one lock before that counts
 * @param pairs of an uncontended lock, in a round
 * @param threads how many at once, each with its own lock
 * @param loops how long each of those loops
 * @param handovers from one process to the other, in a round
 * @param limit of one turn
 */
public record Effort(
        int rounds,
        int warmUp,
        Duration rehearsal,
        int pairs,
        List<Integer> threads,
        Duration loops,
        int handovers,
        Duration limit) {

    /**
     * About twenty minutes, of which some are waits for those that do not finish. After so much warm-up also a large library is
     * compiled: less would tell how soon it is, not how fast.
     */
    public static final Effort FULL = new Effort(
            5,
            12_000,
            Duration.ofSeconds(5),
            2_000,
            List.of(1, 2, 4, 8, 16, 32, 64),
            Duration.ofMillis(400),
            30,
            Duration.ofSeconds(60));

    /** A first look. */
    public static final Effort QUICK = new Effort(
            2, 500, Duration.ofMillis(500), 500, List.of(8, 64), Duration.ofMillis(300), 10, Duration.ofSeconds(60));

    /** The same in so many rounds. */
    public Effort withRounds(int number) {
        return new Effort(number, warmUp, rehearsal, pairs, threads, loops, handovers, limit);
    }

    /** The options of the JVMs in which the candidates are. */
    public String options() {
        return String.join(" ", RunnerProcess.OPTIONS);
    }

    /** What a reader of the results has to know of it. */
    public String text() {
        return rounds + (rounds == 1 ? " round; " : " rounds; ") + warmUp + " pairs of warm-up, and "
                + DurationText.format(rehearsal) + " of many on one lock; " + pairs
                + " pairs, " + handovers + " hand-overs and " + loops.toMillis()
                + " ms of each number of threads in a round"
                + (rounds > OwnLocks.ROUNDS ? ", of all but 8 and 64 in the first " + OwnLocks.ROUNDS : "") + "; "
                + limit.toSeconds() + " s at most for a turn";
    }
}
