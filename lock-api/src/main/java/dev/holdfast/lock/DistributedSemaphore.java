package dev.holdfast.lock;

/**
 * A number of permits, of which processes hold some each: at most {@link #limit()} are out at a time. Immutable and thread-safe.
 *
 * <p>Permits are held by a {@link Lease}, as a lock is: renewed, lost and released like one, and freed at the end of the lease if their
 * holder dies. Waiters are served first come, first served; a request for many permits is not overtaken by smaller ones behind it.
 *
 * <p>The name is that of the lock of this name: an exclusive lease of it excludes all permits, and each shared one takes one. If
 * processes use different limits for one name, as during a deployment, the least of those in use counts.
 *
 * <p>A fencing token is greater than that of every earlier grant of the name, but holders work side by side: a resource that refuses
 * smaller tokens than the greatest it has seen would refuse all but the latest.
 */
public interface DistributedSemaphore {

    /** The name, as given. */
    String name();

    /** How many permits may be out at a time. */
    int limit();

    /**
     * This many permits, all or none, with the methods and options of a lock: to wait, to try, to acquire without a thread, to run code
     * while holding them, and for how long a lease lasts. Permits are not reentrant and have no {@link DistributedLock#asLock()}.
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
     * @throws LockTimeoutException if they were not free for all of {@code lock.acquire-timeout}
     * @throws InterruptedException if interrupted before or while waiting; this call then acquires no permit, now or later
     */
    default Lease acquire(int number) throws InterruptedException {
        return permits(number).acquire();
    }
}
