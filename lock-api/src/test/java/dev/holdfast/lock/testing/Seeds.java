package dev.holdfast.lock.testing;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * The seeds of random tests. A build takes the same ones each time, so that a failure comes from what was changed; a long run, with
 * {@code -Dlock.test.scale=N} or the profile {@code long}, has N times as many, and half of them are new. {@code -Dlock.test.seed=N} takes
 * this one instead, to repeat an earlier failure, which names it.
 */
public final class Seeds {

    /** What multiplies the number of seeds. */
    private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

    private static final String PROPERTY = "lock.test.seed";

    private Seeds() {}

    /** A test with one seed. */
    @FunctionalInterface
    public interface Run<E extends Exception> {
        void run(long seed) throws E;
    }

    /** So many seeds, times the scale. */
    public static LongStream some(int number) {
        Long given = Long.getLong(PROPERTY);
        if (given != null) {
            return LongStream.of(given);
        } else if (SCALE == 1) {
            return LongStream.range(0, number);
        }
        long half = (long) number * SCALE / 2;
        return LongStream.concat(
                LongStream.range(0, half),
                LongStream.generate(() -> ThreadLocalRandom.current().nextLong())
                        .limit(half));
    }

    /** One seed. */
    public static long any() {
        return Long.getLong(
                PROPERTY, SCALE == 1 ? 1 : ThreadLocalRandom.current().nextLong());
    }

    /** Runs the test with each of so many seeds. */
    public static <E extends Exception> void runSome(int number, Run<E> test) throws E {
        for (long seed : some(number).toArray()) {
            run(seed, test);
        }
    }

    /** Runs the test with this seed, which a failure names. */
    public static <E extends Exception> void run(long seed, Run<E> test) throws E {
        try {
            test.run(seed);
        } catch (Throwable e) {
            e.addSuppressed(new AssertionError("again with -D" + PROPERTY + "=" + seed));
            throw e;
        }
    }

    /** The message of the first failure among so many seeds, of a test that has to fail. */
    public static <E extends Exception> String found(int number, Run<E> test) throws E {
        for (long seed = 0; seed < number; seed++) {
            try {
                test.run(seed);
            } catch (AssertionError | RuntimeException e) {
                return String.valueOf(e.getMessage());
            }
        }
        return "nothing with " + number + " seeds";
    }
}
