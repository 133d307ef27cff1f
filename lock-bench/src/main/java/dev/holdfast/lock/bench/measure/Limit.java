package dev.holdfast.lock.bench.measure;

import java.time.Duration;

/** How long something may take, from now on. */
final class Limit {

    private final Duration length;
    private final long start = System.nanoTime();

    Limit(Duration length) {
        this.length = length;
    }

    /** In nanoseconds, not below zero. */
    long left() {
        return Math.max(0, length.toNanos() - (System.nanoTime() - start));
    }

    /** What is thrown when it is over. */
    Passed passed() {
        return new Passed(length);
    }

    /** It is over. */
    static final class Passed extends Exception {
        private static final long serialVersionUID = 1;

        private final String why;

        Passed(Duration length) {
            super();
            why = "did not finish within " + length.toSeconds() + " s";
        }

        /** In words. */
        String why() {
            return why;
        }
    }
}
