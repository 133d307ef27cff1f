package dev.holdfast.lock.locks;

import dev.holdfast.lock.testing.Await;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A thread that does what it is told, one thing after the other. */
final class Person implements AutoCloseable {

    private final ExecutorService orders;
    private volatile @Nullable Thread thread;
    private volatile boolean busy;

    Person(String name) {
        orders = Executors.newSingleThreadExecutor(work -> {
            Thread made = new Thread(work, name);
            made.setDaemon(true);
            thread = made;
            return made;
        });
    }

    /** Begins with it. */
    <T extends @Nullable Object> Future<T> beginsToAnswer(Callable<T> order) {
        return orders.submit(() -> {
            busy = true;
            try {
                return order.call();
            } finally {
                busy = false;
            }
        });
    }

    Future<?> begins(Order order) {
        return beginsToAnswer(order.asCallable());
    }

    /** Does it, and answers when it is done. */
    <T extends @Nullable Object> T answers(Callable<T> order) throws Exception {
        return result(beginsToAnswer(order));
    }

    /** Does it. */
    void does(Order order) throws Exception {
        result(begins(order));
    }

    /** What came of it; throws what it threw. */
    static <T extends @Nullable Object> T result(Future<T> begun) throws Exception {
        try {
            return begun.get(Await.SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("still not done", e);
        }
    }

    /** Waits until it waits within what it was told to do. */
    void awaitWaiting() {
        Await.until("it waits", () -> busy && isParked());
    }

    private boolean isParked() {
        Thread.State state = thread().getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    Thread thread() {
        Thread made = thread;
        if (made == null) {
            throw new AssertionError("it has not been told to do anything yet");
        }
        return made;
    }

    void interrupt() {
        thread().interrupt();
    }

    /** Ends its life. */
    void leaves() throws InterruptedException {
        orders.shutdown();
        thread().join();
    }

    @Override
    public void close() {
        orders.shutdownNow();
    }

    /** Something to do. */
    @FunctionalInterface
    interface Order {
        void carryOut() throws Exception;

        default Callable<@Nullable Object> asCallable() {
            return () -> {
                carryOut();
                return null;
            };
        }
    }
}
