package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** Threads that the kit starts, none of which keeps the run from ending. */
final class ConcurrentCalls {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private ConcurrentCalls() {}

    /** Starts a daemon thread of the kit. */
    static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, "kit " + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Starts threads at the same time. Returns their results in the order of their numbers, or throws the exception of one. */
    static <T> List<T> run(int threads, IntFunction<T> each) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<FutureTask<T>> tasks = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Callable<T> call = () -> {
                start.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                return each.apply(number);
            };
            tasks.add(new FutureTask<>(call));
            running.add(start("concurrent call", tasks.get(i)));
        }
        try {
            List<T> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(result(tasks.get(i), running.get(i)));
            }
            return results;
        } finally {
            running.forEach(Thread::interrupt);
        }
    }

    /**
     * Carries out these cases at the same time, each with other locks until it returns true, and throws no
     * {@link RuleBroken.TooSlow}: the machine was quick enough to show something.
     *
     * @param tooSlow the message if it never is
     */
    static void repeatUntilShown(List<Predicate<LockName>> cases, String tooSlow) {
        run(cases.size(), number -> {
            long start = System.nanoTime();
            for (int attempt = 0;
                    !shows(cases.get(number), new LockName("case " + number + ", attempt " + attempt));
                    attempt++) {
                if (System.nanoTime() - start > Kit.SLOW_LIMIT.toNanos()) {
                    throw new RuleBroken(tooSlow);
                }
            }
            return number;
        });
    }

    private static boolean shows(Predicate<LockName> oneCase, LockName name) {
        try {
            return oneCase.test(name);
        } catch (RuleBroken.TooSlow e) {
            return false;
        }
    }

    /** The result of a thread, which must end at some time. */
    static <T> T result(FutureTask<T> task, Thread thread) {
        try {
            return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuleBroken broken) {
                throw broken;
            }
            throw new IllegalStateException("a thread of the test failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new RuleBroken(
                    "a thread of the test is still running after " + LIMIT + ": " + HangGuard.stackOf(thread));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
