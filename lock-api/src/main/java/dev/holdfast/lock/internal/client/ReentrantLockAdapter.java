package dev.holdfast.lock.internal.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock as a {@link Lock} of the JDK: held by a thread, and counted. A shared one is the read lock of a pair. */
final class ReentrantLockAdapter implements Lock {

    /** Not the configured limit, as a lock of the JDK waits without one. */
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

    private final DefaultLock lock;
    private final ThreadHolds holds;

    ReentrantLockAdapter(DefaultLock lock, ThreadHolds holds) {
        this.lock = lock;
        this.holds = holds;
    }

    @Override
    public void lock() {
        if (!holds.again(lock.name(), lock.isShared())) {
            holds.begin(lock.acquireUninterruptibly(), lock.isShared());
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        expectNoInterrupt();
        if (!holds.again(lock.name(), lock.isShared())) {
            holds.begin(lock.acquireLease(FOR_EVER), lock.isShared());
        }
    }

    @Override
    public boolean tryLock() {
        return holds.again(lock.name(), lock.isShared()) || begin(lock.tryAcquireLease());
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
        expectNoInterrupt();
        return holds.again(lock.name(), lock.isShared()) || begin(lock.tryAcquireLease(wait));
    }

    private boolean begin(Optional<DefaultLease> lease) {
        lease.ifPresent(held -> holds.begin(held, lock.isShared()));
        return lease.isPresent();
    }

    /** A thread that holds the lock does not wait, but an interrupt takes effect nevertheless. */
    private void expectNoInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before locking '" + lock.name() + "'");
        }
    }

    @Override
    public void unlock() {
        holds.end(lock.name(), lock.isShared());
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return lock + " of threads";
    }
}
