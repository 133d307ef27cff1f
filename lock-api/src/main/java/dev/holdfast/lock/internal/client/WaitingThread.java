package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.time.Blocking;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The thread that creates this object, while it waits for the result of {@link dev.holdfast.lock.internal.engine.Engine#acquire}. */
final class WaitingThread implements AcquireCallback {

    private final Thread thread = Thread.currentThread();
    /** The task that this thread is to run and has not begun; null while the thread is idle. */
    private final AtomicReference<@Nullable Runnable> task = new AtomicReference<>(WaitingThread::nothing);

    private volatile @Nullable AcquireResult result;
    /** Seen by its own thread only. */
    private boolean waits;

    @Override
    public void completed(AcquireResult acquired) {
        result = acquired;
        wake();
    }

    @Override
    public boolean runOnWaitingThread(Runnable lent) {
        boolean taken = task.compareAndSet(null, lent);
        if (taken) {
            wake();
        }
        return taken;
    }

    private void wake() {
        if (thread != Thread.currentThread()) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Waits, and runs the tasks that are lent to this thread. Abandons the request on abnormal exit. {@link #leave} has to follow.
     *
     * @throws InterruptedException if interrupted before there is a result; a task begins without an interrupt
     */
    AcquireResult await(Waiter waiter) throws InterruptedException {
        try {
            AcquireResult acquired = await();
            leave();
            return acquired;
        } catch (InterruptedException | RuntimeException | Error e) {
            waiter.abandon();
            throw e;
        }
    }

    /** The same, except that an interrupt does not end it; the interrupt is kept. */
    AcquireResult awaitUninterruptibly(Waiter waiter) {
        try {
            AcquireResult acquired = awaitUninterruptibly();
            leave();
            return acquired;
        } catch (RuntimeException | Error e) {
            waiter.abandon();
            throw e;
        }
    }

    AcquireResult awaitUninterruptibly() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    AcquireResult await() throws InterruptedException {
        while (true) {
            AcquireResult acquired = result;
            if (acquired != null) {
                return acquired;
            } else if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!waits) {
                waits = true;
                task.set(null);
            }
            Runnable lent = task.get();
            if (lent == null) {
                Blocking.park(this, () -> result != null || task.get() != null);
            } else {
                waits = false;
                task.set(WaitingThread::nothing);
                lent.run();
            }
        }
    }

    /** Accepts no more tasks, and runs the one that has not begun. */
    void leave() {
        Runnable last = task.getAndSet(WaitingThread::nothing);
        if (last != null) {
            last.run();
        }
    }

    /** Takes the place of a task, so that no other is accepted. */
    private static void nothing() {}
}
