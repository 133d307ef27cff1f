package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.Timers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks that threads of this process hold as locks of the JDK: a lease and two counts for each name and thread, as a thread that
 * holds the write lock needs no other lease for the read lock. While there are any, a timer looks for threads that ended without
 * unlocking.
 *
 * <p>Thread-safe; a hold is changed by its own thread alone, and by the timer once that thread has ended.
 */
final class ThreadHolds {

    private static final Duration PERIOD = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(ThreadHolds.class);

    private final Timers timers;
    private final Map<Holder, Counted> holds = new ConcurrentHashMap<>();
    private final ReentrantLock guard = new ReentrantLock();
    /** A check for ended threads is scheduled. */
    private boolean watching;

    ThreadHolds(Timers timers) {
        this.timers = timers;
    }

    /**
     * Counts one more hold if this thread holds the lock.
     *
     * @param shared whether as a read lock
     * @return false if it does not hold it
     * @throws LockLostException if it did, but lost it; nothing is counted
     * @throws IllegalStateException if it holds the read lock only, and wants the write lock
     */
    boolean again(String name, boolean shared) {
        Counted hold = holds.get(Holder.here(name));
        if (hold == null) {
            return false;
        }
        hold.lease.ensureHeld();
        if (!shared && hold.isReadLease) {
            throw new IllegalStateException("this thread holds the read lock of '" + name
                    + "', and would wait for itself: unlock it before locking the write lock");
        }
        hold.count(shared, 1);
        return true;
    }

    /** The lease by which this thread holds the lock, lost or not; empty if it does not. */
    Optional<Lease> lease(String name) {
        return Optional.ofNullable(holds.get(Holder.here(name))).map(hold -> hold.lease);
    }

    /** This thread holds the lock by this lease from now on. */
    void begin(DefaultLease lease, boolean shared) {
        Holder holder = Holder.here(lease.name());
        try {
            holds.put(holder, new Counted(lease, shared));
            watch();
        } catch (RuntimeException | Error e) {
            holds.remove(holder);
            lease.close();
            throw e;
        }
    }

    /**
     * Counts one hold less, and releases the lock with the last.
     *
     * @throws IllegalMonitorStateException if this thread does not hold it
     * @throws LockLostException if it was lost; counted all the same
     * @throws IllegalStateException if the locks are closed; counted all the same
     */
    void end(String name, boolean shared) {
        Holder holder = Holder.here(name);
        Counted hold = holds.get(holder);
        if (hold == null || hold.count(shared) == 0) {
            throw new IllegalMonitorStateException("'" + name + "' is not held by this thread, " + holder);
        }
        hold.count(shared, -1);
        boolean isLast = hold.reads + hold.writes == 0;
        if (isLast) {
            holds.remove(holder);
        }
        hold.lease.ensureHeld();
        if (isLast) {
            hold.lease.releaseHeld();
        }
    }

    private void watch() {
        guard.lock();
        try {
            if (!watching) {
                timers.after(PERIOD, this::look);
                watching = true;
            }
        } finally {
            guard.unlock();
        }
    }

    private void look() {
        try {
            holds.forEach((holder, hold) -> {
                if (!holder.thread().isAlive()) {
                    holds.remove(holder);
                    hold.lease.closeInBackground();
                    log.warn(
                            "{} ended without unlocking '{}' with token {}; it is unlocked now",
                            holder,
                            holder.name(),
                            hold.lease.fencingToken());
                }
            });
        } finally {
            lookAgain();
        }
    }

    private void lookAgain() {
        guard.lock();
        try {
            watching = false;
            if (!holds.isEmpty()) {
                watch();
            }
        } finally {
            guard.unlock();
        }
    }

    private record Holder(String name, Thread thread) {

        static Holder here(String name) {
            return new Holder(name, Thread.currentThread());
        }

        @Override
        public String toString() {
            return "thread '" + thread.getName() + "' (" + thread.getId() + ")";
        }
    }

    private static final class Counted {
        final DefaultLease lease;
        final boolean isReadLease;
        long reads;
        long writes;

        Counted(DefaultLease lease, boolean isReadLease) {
            this.lease = lease;
            this.isReadLease = isReadLease;
            count(isReadLease, 1);
        }

        long count(boolean shared) {
            return shared ? reads : writes;
        }

        void count(boolean shared, int more) {
            if (shared) {
                reads += more;
            } else {
                writes += more;
            }
        }
    }
}
