package dev.holdfast.lock.cli;

import java.time.Duration;

/**
 * A test that fails after this machine stood still for longer than what it is about can bear has shown nothing: it is made once
 * more, and says so. Whatever else fails is a failure.
 */
final class Attempts {

    private static final int MOST = 3;

    private Attempts() {}

    /** One of them. */
    @FunctionalInterface
    interface Attempt {
        void make() throws Exception;
    }

    /**
     * Makes as many as it takes, within limits.
     *
     * @param bearable no attempt fails because of a standstill as short as this
     * @param anew what comes between two of them
     */
    static void bearing(Duration bearable, Attempt attempt, Attempt anew) throws Exception {
        for (int number = 1; ; number++) {
            try (Pulse pulse = new Pulse()) {
                try {
                    attempt.make();
                    return;
                } catch (AssertionError | Exception e) {
                    Duration gap = pulse.longestGap();
                    if (number == MOST || gap.compareTo(bearable) <= 0) {
                        throw e;
                    }
                    System.out.println("attempt " + number + " shows nothing, as this machine stood still for "
                            + gap.toMillis() + " ms: " + e);
                }
            }
            anew.make();
        }
    }
}
