package dev.holdfast.lock.simulation;

import java.util.Random;
import java.util.function.LongConsumer;

/**
 * The seeds of simulations: half of them are the same in each build, half are fresh. {@code -Dlock.simulation.seed=42} repeats
 * one run, and {@code -Dlock.test.scale=20} has twenty times as many.
 */
final class Seeds {

    private static final String ONE = "lock.simulation.seed";
    private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

    private final long fresh = new Random().nextLong(1L << 40) & -2; // even and odd seeds differ

    /** Runs this many simulations; a failure names its seed. */
    void each(int count, LongConsumer run) {
        Long one = Long.getLong(ONE);
        if (one != null) {
            run(one, run);
            return;
        }
        int half = count * SCALE / 2;
        for (int number = 0; number < half; number++) {
            run(number, run);
            run(fresh + number, run);
        }
    }

    private static void run(long seed, LongConsumer run) {
        try {
            run.accept(seed);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + " (repeat it with -D" + ONE + "=" + seed + "): " + e.getMessage(), e);
        }
    }

    /** The message of the first failure among this many fresh runs. */
    String found(int count, LongConsumer run) {
        for (int number = 0; number < count; number++) {
            try {
                run.accept(fresh + number);
            } catch (AssertionError | RuntimeException e) {
                return String.valueOf(e.getMessage());
            }
        }
        return "nothing with " + count + " seeds from " + fresh;
    }
}
