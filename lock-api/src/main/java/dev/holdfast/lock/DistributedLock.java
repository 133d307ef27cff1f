package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * A named lock. Immutable and thread-safe: the {@code with…} methods return another view of the same lock.
 *
 * <ul>
 *   <li>{@link #acquire()}, {@link #acquire(Duration)}, {@link #tryAcquire(Duration)}, {@link #run} and {@link #call} wait.
 *   <li>{@link #tryAcquire()} does not wait: it asks once.
 *   <li>{@link #acquireAsync()} and {@link #acquireAsync(Duration)} return at once.
 * </ul>
 *
 * <p>Waiters are served first come, first served: strictly among those of one process; between processes by turns, of
 * {@code lock.handoff} holders and 20 ms at most, strictly everywhere if that is 1 (and the store has queues). Nobody
 * overtakes a waiter, {@link #tryAcquire()} neither.
 *
 * <p>Not reentrant: whoever acquires a name twice waits for itself. Only {@link #asLock()} counts.
 *
 * <p>Whatever asks the store throws {@link LockUnavailableException} when the store does not answer (a wait, once nothing
 * was answered for ten seconds, or if its end finds the store silent), and {@link IllegalStateException} once the
 * {@link Locks} are closed.
 */
public interface DistributedLock {

    /** The name, as given. */
    String name();

    /**
     * This lock with leases of another length, renewed until closed.
     *
     * @param length at least 100 ms, and at least {@code lock.call-timeout} if that is set
     * @throws IllegalArgumentException if it is shorter, naming both
     */
    DistributedLock withLease(Duration length);

    /**
     * This lock with leases that are never renewed and end by themselves: as {@link LeaseState#LOST} if they are not
     * closed before.
     *
     * @param length as for {@link #withLease}
     * @throws IllegalArgumentException if it is shorter, naming both
     */
    DistributedLock withFixedLease(Duration length);

    /**
     * This lock, kept from others for at least this long after each grant, on the store's clock, even when released
     * earlier. For a short job on several nodes whose clocks differ: the second node must not find the lock free again.
     *
     * <p>A release is what turns the rest of the minimum into an expiry; a holder that dies without releasing keeps its
     * lock for its lease only.
     *
     * @param minimum zero (the default) or longer
     * @throws IllegalArgumentException if it is negative, or longer than a fixed lease
     */
    DistributedLock withMinimumHold(Duration minimum);

    /**
     * Waits for the lock, for {@code lock.wait} at most, or for ever if that is not set.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.wait}
     * @throws InterruptedException if interrupted before or while waiting; the lock is then not held, nor later
     */
    Lease acquire() throws InterruptedException;

    /**
     * Waits for the lock for this long at most.
     *
     * @param wait zero (ask once) or longer
     * @throws LockTimeoutException if it was busy all the while
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws InterruptedException if interrupted before or while waiting; the lock is then not held, nor later
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /** Takes the lock if it is free; empty if it is busy. */
    Optional<Lease> tryAcquire();

    /**
     * Waits for the lock for this long at most; empty if it was busy all the while.
     *
     * @param wait zero (ask once) or longer
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws InterruptedException if interrupted before or while waiting; the lock is then not held, nor later
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * As {@link #acquire()}, without a thread that waits. The future's stages run on the common pool, or
     * on threads of our own where that has but one, which they should not keep for long; {@code …Async} with an executor of your own if they do.
     *
     * @return completed with the lease, or with the exception that {@link #acquire()} would throw. Whoever cancels it, or
     *     completes it by other means, withdraws: the lock is then not held, nor later
     */
    CompletableFuture<Lease> acquireAsync();

    /**
     * As {@link #acquire(Duration)}, without a thread that waits; see {@link #acquireAsync()}.
     *
     * @param wait zero (ask once) or longer
     * @throws IllegalArgumentException if {@code wait} is negative
     */
    CompletableFuture<Lease> acquireAsync(Duration wait);

    /**
     * Runs the body while holding the lock; waits as {@link #acquire()} does.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.wait}; the body has not begun then
     * @throws LockLostException if the lease was lost before the body ended; under the body's own exception, if it threw one
     * @throws InterruptedException if interrupted before or while waiting; the body has not begun then, nor will it
     */
    void run(Runnable body) throws InterruptedException;

    /**
     * Runs the body while holding the lock and returns its result; waits as {@link #acquire()} does.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.wait}; the body has not begun then
     * @throws LockLostException if the lease was lost before the body ended; under the body's own exception, if it threw one
     * @throws InterruptedException if interrupted before or while waiting; the body has not begun then, nor will it
     * @throws Exception what the body throws
     */
    <T extends @org.jspecify.annotations.Nullable Object> T call(Callable<T> body) throws Exception;

    /**
     * This lock as the JDK's type, for code that wants that. It is held by a thread, not by a task: what goes on in other
     * threads, or continues in one, takes a {@link Lease} instead.
     *
     * <ul>
     *   <li><em>Reentrant:</em> counted for each {@link Locks}, name and thread, whichever view of the lock it was asked of; the
     *       first to lock decides on the terms of the lease, which is renewed or not as its view says.
     *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, whatever {@code lock.wait} says. An
     *       interrupt leaves {@code lock()} in its place, and its flag is kept.
     *   <li>{@code tryLock()} asks once and never waits; nor does {@code tryLock(time, unit)} with no time or less. An
     *       interrupt leaves {@code tryLock()} alone. The other one and {@code lockInterruptibly()} throw
     *       {@link InterruptedException} if interrupted before or while waiting; the lock is then not held, nor later.
     *   <li>{@code unlock()} by a thread that does not hold the lock throws {@link IllegalMonitorStateException}.
     *   <li><em>Once the lease is lost</em>, every method that locks throws {@link LockLostException} on the thread that held it,
     *       and so does {@code unlock()}, which counts all the same: after the last, the thread can lock anew.
     *   <li>A store that does not answer is a {@link LockUnavailableException}. Thrown by {@code unlock()} it leaves the
     *       thread without the lock; the release is repeated in the background, as for {@link Lease#release()}.
     *   <li>Once the {@link Locks} are closed, every method throws {@link IllegalStateException}; {@code unlock()} only on a
     *       thread that held the lock until then.
     *   <li><em>A thread that ends</em> without unlocking is noticed within seconds; its lock is released, and a warning is
     *       logged that names both.
     *   <li>{@code newCondition()} throws {@link UnsupportedOperationException}.
     * </ul>
     *
     * <p>Virtual threads may use it like others. Nothing is kept for a thread that holds nothing. Thread-safe.
     */
    Lock asLock();
}
