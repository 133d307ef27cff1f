package dev.holdfast.lock.internal.time;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The waits of an application's threads. A {@link ForkJoinPool} is notified, so that it runs its other tasks on another thread
 * meanwhile: the waiting thread may depend on one of them. Not all waiting classes of the JDK do so, and a
 * {@code CompletableFuture} even runs other tasks of the pool on the waiting thread, in the middle of what that thread does under a
 * lock.
 */
public final class Blocking {

    /** {@code Thread.isVirtual}, which JDK 17 does not have. */
    private static final MethodHandle IS_VIRTUAL = isVirtualMethod();

    private Blocking() {}

    /**
     * Parks the current thread until the condition is true, or the thread is interrupted, unparked or woken spuriously.
     *
     * @param blocker named in thread dumps
     * @param isOver checked before parking
     */
    public static void park(Object blocker, BooleanSupplier isOver) {
        park(isOver, () -> LockSupport.park(blocker));
    }

    /** The same, for this many nanoseconds at most. */
    public static void parkNanos(Object blocker, long nanos, BooleanSupplier isOver) {
        park(isOver, () -> LockSupport.parkNanos(blocker, nanos));
    }

    private static void park(BooleanSupplier isOver, Runnable park) {
        if (!(Thread.currentThread() instanceof ForkJoinWorkerThread)) {
            park.run();
            return;
        }
        Park blocker = new Park(isOver, park);
        try {
            ForkJoinPool.managedBlock(blocker);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // no room for another thread
            park.run();
        } catch (InterruptedException e) {
            throw new AssertionError(e); // parking throws none
        }
    }

    /** Waits until the future is completed. */
    public static void await(CompletableFuture<?> future) throws InterruptedException {
        wakeBy(future);
        while (!future.isDone()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            park(future, future::isDone);
        }
    }

    /** The result of the future, once it is completed. An interrupt does not end the wait, and is kept. */
    public static <T> T join(CompletableFuture<T> future) {
        boolean interrupted = false;
        wakeBy(future);
        while (!future.isDone()) {
            park(future, future::isDone);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return future.join();
    }

    private static void wakeBy(CompletableFuture<?> future) {
        if (!future.isDone()) {
            Thread waiting = Thread.currentThread();
            CompletableFuture<?> unused = future.whenComplete((result, failure) -> LockSupport.unpark(waiting));
        }
    }

    /** Whether the current thread is a virtual one: it may have to wait for a carrier thread, for as long as the application likes. */
    public static boolean isVirtualThread() {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle isVirtualMethod() {
        MethodType type = MethodType.methodType(boolean.class);
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", type);
        } catch (NoSuchMethodException e) {
            return MethodHandles.dropArguments(MethodHandles.constant(boolean.class, false), 0, Thread.class);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Parks once, as each caller checks why it was woken. */
    private static final class Park implements ForkJoinPool.ManagedBlocker {

        private final BooleanSupplier isOver;
        private final Runnable park;

        Park(BooleanSupplier isOver, Runnable park) {
            this.isOver = isOver;
            this.park = park;
        }

        @Override
        public boolean block() {
            if (!isOver.getAsBoolean()) { // making room for another thread may have taken a while
                park.run();
            }
            return true;
        }

        @Override
        public boolean isReleasable() {
            return isOver.getAsBoolean();
        }
    }
}
