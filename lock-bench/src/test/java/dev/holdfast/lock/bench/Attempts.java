package dev.holdfast.lock.bench;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A test that fails after this machine stood still for longer than what it is about can bear has shown nothing: it is made once
 * more, and says so. Whatever else fails is a failure.
 */
public final class Attempts {

    private static final int MOST = 3;

    private Attempts() {}

    /** One of them. */
    @FunctionalInterface
    public interface Attempt {
        /** Makes it. */
        void make() throws Exception;
    }

    /**
     * Makes as many as it takes, within limits.
     *
     * @param bearable no attempt fails because of a standstill as short as this
     */
    public static void bearing(Duration bearable, Attempt attempt) throws Exception {
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
        }
    }

    /** Looks at the clock again and again. */
    private static final class Pulse implements AutoCloseable {

        private static final long BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        private final Thread thread = new Thread(this::beat, "pulse");
        private volatile boolean closed;
        private volatile long last = System.nanoTime();
        private volatile long longest;

        Pulse() {
            thread.setDaemon(true);
            thread.start();
        }

        private void beat() {
            while (!closed) {
                LockSupport.parkNanos(BEAT_NANOS);
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
            }
        }

        /** For how long it stood still at most, by now. */
        Duration longestGap() {
            return Duration.ofNanos(Math.max(longest, System.nanoTime() - last));
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
