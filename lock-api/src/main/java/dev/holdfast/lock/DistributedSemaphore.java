package dev.holdfast.lock;

/**
 * A counted lock: all processes together hold at most {@link #limit()} permits at a time. Immutable and thread-safe.
 *
 * <p>Permits are held by a {@link Lease}, like a lock: it is renewed, lost and released, and if its holder dies, the permits are free at
 * its end. Waiters are served first come, first served; a request for many permits is not overtaken by smaller ones behind it.
 *
 * <p>The semaphore and {@linkplain Locks#named the lock} of one name exclude each other: an exclusive lease excludes all permits, and a
 * {@linkplain DistributedLock#shared() shared} one takes one permit. If processes use different limits for one name, as during a
 * deployment, the lowest limit in use applies.
 *
 * <p>A fencing token is greater than that of every earlier grant of the name, but several holders work at the same time: a resource that
 * refuses every token below the greatest it has seen would refuse all holders but the latest.
 */
public interface DistributedSemaphore {

    /** The name, as given. */
    String name();

    /** The maximum number of permits that are held at a time. */
    int limit();

    /**
     * This many permits, all or none, with the methods and options of a lock. Not reentrant. If {@link #limit()} is more than 1,
     * {@link DistributedLock#shared()}, {@link DistributedLock#asLock()} and {@link DistributedLock#asReadWriteLock()} of the view throw
     * {@link UnsupportedOperationException}.
     *
     * @param number 1 to {@link #limit()}
     * @throws IllegalArgumentException if the number is not allowed
     */
    DistributedLock permits(int number);

    /**
     * Waits for this many permits, as {@link DistributedLock#acquire()} does.
     *
     * @param number 1 to {@link #limit()}
     * @throws IllegalArgumentException if the number is not allowed
     * @throws LockTimeoutException if too few were free for all of {@code lock.acquire-timeout}
     * @throws InterruptedException if interrupted before or while waiting; this call then acquires no permit, now or later
     */
    default Lease acquire(int number) throws InterruptedException {
        return permits(number).acquire();
    }
}
