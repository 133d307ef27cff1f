package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.internal.engine.AcquireCallback;
import dev.holdfast.lock.internal.engine.AcquireResult;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The thread that made this, while it waits for an outcome. */
final class WaitingThread implements AcquireCallback {

    private final Thread thread = Thread.currentThread();
    /** What it is lent for and has not begun yet; not null, too, while it does not wait. */
    private final AtomicReference<@Nullable Runnable> task = new AtomicReference<>(WaitingThread::nothing);

    private volatile @Nullable AcquireResult outcome;
    /** Seen by its own thread only. */
    private boolean waits;

    @Override
    public void ended(AcquireResult its) {
        outcome = its;
        wake();
    }

    @Override
    public boolean lend(Runnable its) {
        boolean taken = task.compareAndSet(null, its);
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
     * Waits, and carries out what it is lent for. Whatever the end, {@link #leave} has to follow.
     *
     * @throws InterruptedException if interrupted before there is an outcome; what it is lent for begins without an interrupt
     */
    AcquireResult await() throws InterruptedException {
        while (true) {
            AcquireResult its = outcome;
            if (its != null) {
                return its;
            } else if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!waits) {
                waits = true;
                task.set(null);
            }
            Runnable lent = task.get();
            if (lent == null) {
                LockSupport.park(this);
            } else {
                waits = false;
                task.set(WaitingThread::nothing);
                lent.run();
            }
        }
    }

    /** The same, whoever interrupts; that is kept. */
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

    /** It lends itself no more; what it was lent for and has not begun is carried out all the same. */
    void leave() {
        Runnable last = task.getAndSet(WaitingThread::nothing);
        if (last != null) {
            last.run();
        }
    }

    /** In the place of a task: no other finds room. */
    private static void nothing() {}
}
