package dev.holdfast.lock.pulse;

import dev.holdfast.lock.LockUnavailableException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Asks again while a store is silent, as it is when its process stands still: where that is not the question. */
public final class Patiently {

    private static final Duration MOST = Duration.ofMinutes(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private Patiently() {}

    /** What a store may be unavailable to. */
    @FunctionalInterface
    public interface Question<T, E extends Exception> {
        T ask() throws E;
    }

    /** @throws LockUnavailableException what is thrown last, after a minute */
    public static <T, E extends Exception> T ask(Question<T, E> question) throws E {
        long start = System.nanoTime();
        while (true) {
            try {
                return question.ask();
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - start > MOST.toNanos()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
