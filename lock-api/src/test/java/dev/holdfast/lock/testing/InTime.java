package dev.holdfast.lock.testing;

import java.time.Duration;

/**
 * A check of what holds only within a time, such as a call's timeout or a lease. An attempt that fails after that time shows nothing,
 * as the machine may have stood still, and is made again, twice at most.
 */
public final class InTime {

    private static final int ATTEMPTS = 3;

    private InTime() {}

    /** An attempt. */
    @FunctionalInterface
    public interface Attempt<T> {
        /** Makes it, from the beginning of the time. */
        T make() throws Exception;
    }

    /**
     * Makes an attempt, and another one if it fails too late.
     *
     * @param limit the time after which what was checked need not hold
     * @throws AssertionError that of an attempt within the time, or of the last one; likewise an exception
     */
    public static <T> T check(Duration limit, Attempt<T> attempt) throws Exception {
        for (int number = 1; ; number++) {
            long start = System.nanoTime();
            try {
                return attempt.make();
            } catch (Exception | AssertionError e) {
                Duration lasted = Duration.ofNanos(System.nanoTime() - start);
                if (lasted.compareTo(limit) < 0 || number == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
