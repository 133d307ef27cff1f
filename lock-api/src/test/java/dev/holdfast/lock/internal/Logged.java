package dev.holdfast.lock.internal;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Captures the log, which is not printed. */
public final class Logged {

    private static final long HANG_NANOS = TimeUnit.MINUTES.toNanos(3);

    private Logged() {}

    /** A task during which the log is captured. */
    @FunctionalInterface
    public interface Task<E extends Exception> {
        void run() throws E;
    }

    /** Returns what all threads log while this thread runs the task. */
    public static <E extends Exception> String during(Task<E> task) throws E {
        return during(task, "");
    }

    /** The same, and waits until this text is logged. */
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
