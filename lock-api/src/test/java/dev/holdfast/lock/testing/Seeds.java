package dev.holdfast.lock.testing;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/** The seeds of random tests. {@code -Dlock.test.seed=N} takes this one instead, to repeat an earlier failure, which says so. */
public final class Seeds {

    private static final String PROPERTY = "lock.test.seed";

    private Seeds() {}

    /** A test with one seed. */
    @FunctionalInterface
    public interface Run<E extends Exception> {
        void run(long seed) throws E;
    }

    /** So many seeds: every other one is new, the others are the same each time. */
    public static LongStream some(int number) {
        Long given = Long.getLong(PROPERTY);
        return given != null
                ? LongStream.of(given)
                : LongStream.range(0, number)
                        .map(at ->
                                at % 2 == 0 ? at : ThreadLocalRandom.current().nextLong());
    }

    /** Runs the test with each of so many seeds. */
    public static <E extends Exception> void runSome(int number, Run<E> test) throws E {
        for (long seed : some(number).toArray()) {
            run(seed, test);
        }
    }

    /** Runs the test with a new seed. */
    public static <E extends Exception> void runAny(Run<E> test) throws E {
        run(Long.getLong(PROPERTY, ThreadLocalRandom.current().nextLong()), test);
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
}
