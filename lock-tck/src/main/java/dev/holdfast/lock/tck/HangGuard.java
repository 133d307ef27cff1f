package dev.holdfast.lock.tck;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs a call that may never return on its own thread, which is interrupted at the limit, and abandoned soon after. */
final class HangGuard {

    private HangGuard() {}

    /** A call that throws anything, as JUnit's invocations do. */
    interface Call<T extends @Nullable Object> {
        T call() throws Throwable;
    }

    /** A call ignored its timeout and an interrupt; the message has the stack of its thread. */
    static final class Hanging extends RuleBroken {
        private static final long serialVersionUID = 1L;

        Hanging(Duration limit, Thread thread) {
            super("a call to the store is still running after " + limit + ", and ignores interrupts: "
                    + stackOf(thread));
        }
    }

    /**
     * Runs a call on its own thread.
     *
     * @param what the name of the thread
     * @param limits of the call; read when the thread has started
     * @throws Hanging if the call does not end, even though it was interrupted
     * @throws RuleBroken if the call ends only because it was interrupted
     */
    static <T extends @Nullable Object> T call(String what, LockStoreContract limits, Call<T> call) throws Throwable {
        FutureTask<T> task = new FutureTask<>(() -> {
            try {
                return call.call();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        });
        Thread thread = ConcurrentCalls.start(what, task);
        Duration limit = limits.hangLimit();
        try {
            return task.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw interrupt(task, thread, limit, limits.hangGrace());
        } catch (ExecutionException e) {
            throw e.getCause();
        } catch (InterruptedException e) {
            thread.interrupt();
            throw e;
        }
    }

    private static RuleBroken interrupt(FutureTask<?> task, Thread thread, Duration limit, Duration grace)
            throws InterruptedException {
        String stack = stackOf(thread);
        thread.interrupt();
        try {
            task.get(grace.toNanos(), TimeUnit.NANOSECONDS);
            return new RuleBroken("a call to the store is still running after " + limit + ": " + stack);
        } catch (ExecutionException e) {
            return new RuleBroken("a call to the store is still running after " + limit + ": " + stack, e.getCause());
        } catch (TimeoutException e) {
            return new Hanging(limit, thread);
        }
    }

    /** The stack of a thread, as a thread dump shows it. */
    static String stackOf(Thread thread) {
        return "thread '" + thread.getName() + "' is " + thread.getState() + " at"
                + Stream.of(thread.getStackTrace())
                        .map(frame -> "\n      " + frame)
                        .collect(Collectors.joining());
    }
}
