package dev.holdfast.lock.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/** Lets threads start at once. */
final class Together {

    private static final int HANGING_AFTER_SECONDS = 90;

    private Together() {}

    /** What each of them returned, in the order of their numbers; what one throws is thrown. */
    static <T> List<T> run(int threads, IntFunction<T> each) {
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                running.add(pool.submit(() -> {
                    start.await(HANGING_AFTER_SECONDS, TimeUnit.SECONDS);
                    return each.apply(number);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> one : running) {
                results.add(one.get(HANGING_AFTER_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Broken broken) {
                throw broken;
            }
            throw new IllegalStateException("a thread of the test failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new Broken("a thread still hangs after " + HANGING_AFTER_SECONDS + " seconds");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
