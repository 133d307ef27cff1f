package dev.holdfast.lock.internal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What is logged, kept from being printed. */
public final class Logged {

    private static final long HANG_NANOS = TimeUnit.MINUTES.toNanos(3);

    private Logged() {}

    /** What may be done meanwhile. */
    @FunctionalInterface
    public interface Task<E extends Exception> {
        void run() throws E;
    }

    /** What any thread logs while this one carries out the task. */
    public static <E extends Exception> String during(Task<E> task) throws E {
        return during(task, "");
    }

    /** The same, until this has been logged. */
    public static <E extends Exception> String during(Task<E> task, String awaited) throws E {
        PrintStream before = System.err;
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        System.setErr(new PrintStream(heard, true, StandardCharsets.UTF_8));
        try {
            task.run();
            long start = System.nanoTime();
            while (!heard.toString(StandardCharsets.UTF_8).contains(awaited)
                    && System.nanoTime() - start < HANG_NANOS) {
                LockSupport.parkNanos(1_000_000);
            }
        } finally {
            System.setErr(before);
        }
        return heard.toString(StandardCharsets.UTF_8);
    }
}
