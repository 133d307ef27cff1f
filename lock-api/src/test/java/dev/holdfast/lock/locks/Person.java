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

/** A thread that runs the calls of a test, one at a time. */
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

    /** Begins the call, and returns its future. */
    <T extends @Nullable Object> Future<T> beginsToCall(Callable<T> order) {
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
        return beginsToCall(order.asCallable());
    }

    /** Runs the call, and returns its result. */
    <T extends @Nullable Object> T calls(Callable<T> order) throws Exception {
        return result(beginsToCall(order));
    }

    /** Runs the call. */
    void does(Order order) throws Exception {
        result(begins(order));
    }

    /** The result of a call; throws what the call threw. */
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

    /** Waits until the thread is parked within its call. */
    void awaitWaiting() {
        Await.until("the thread waits", () -> busy && isParked());
    }

    private boolean isParked() {
        Thread.State state = thread().getState();
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }

    Thread thread() {
        Thread made = thread;
        if (made == null) {
            throw new AssertionError("the thread has no call yet");
        }
        return made;
    }

    void interrupt() {
        thread().interrupt();
    }

    /** Ends the thread. */
    void leaves() throws InterruptedException {
        orders.shutdown();
        thread().join();
    }

    @Override
    public void close() {
        orders.shutdownNow();
    }

    /** A call without a result. */
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
