package dev.holdfast.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A named lock. Immutable and thread-safe: the {@code with…} methods return another view of the same lock.
 *
 * <ul>
 *   <li>{@link #acquire()}, {@link #acquire(Duration)}, {@link #tryAcquire(Duration)}, {@link #run} and {@link #call} wait.
 *   <li>{@link #tryAcquire()} makes one attempt and does not wait.
 *   <li>{@link #acquireAsync()} and {@link #acquireAsync(Duration)} return at once.
 * </ul>
 *
 * <p>Waiters are served first come, first served. Within one process the order is strict. Processes take turns: a process
 * hands the lock to its own waiters for at most {@code lock.max-local-handoffs} holders and 20 ms, or 40 holders and 50 ms on
 * a store that polls, and then the lock goes to the next process. With {@code lock.max-local-handoffs=1}, on a store with queues,
 * the order is strict everywhere. No caller overtakes a waiter, not even one that calls {@link #tryAcquire()}.
 *
 * <p>Not reentrant: acquiring a name twice deadlocks on itself. Only {@link #asLock()} is reentrant.
 *
 * <p>Every method that calls the store throws {@link LockUnavailableException} when the store does not answer, and
 * {@link IllegalStateException} after {@link Locks#close()}. A waiting call reports a silent store after ten seconds without
 * an answer, or at the end of its wait.
 */
public interface DistributedLock {

    /** The name, as given. */
    String name();

    /**
     * This lock for readers: any number of shared leases may be held at the same time, but none beside an exclusive one. Every method of
     * the view acquires a shared lease; its {@link #asLock()} is the read lock of {@link #asReadWriteLock()}.
     *
     * <p>Readers and writers wait in one queue, first come, first served: a waiting writer stops new readers, the readers behind it enter
     * together after its release, and neither side starves. The store grants each shared lease separately, with a token of its own; a
     * process does not hand it on from reader to reader. Each is renewed and ends by itself: the lease of a dead reader expires, however
     * long others read.
     *
     * <p>Not reentrant: a reader that waits for a second shared lease behind a waiting writer deadlocks on itself. Only
     * {@link #asLock()} is reentrant.
     *
     * @throws UnsupportedOperationException if the store keeps exclusive locks only, or this lock is a view of a
     *     {@link DistributedSemaphore} with more than one permit
     */
    DistributedLock shared();

    /**
     * This lock with leases of another length, renewed until closed.
     *
     * @param length at least {@link Locks#shortestLease}
     * @throws IllegalArgumentException if it is shorter; the message names both lengths
     */
    DistributedLock withLease(Duration length);

    /**
     * This lock with leases that are never renewed and end by themselves: as {@link LeaseState#LOST}, unless closed before.
     *
     * @param length as for {@link #withLease}
     * @throws IllegalArgumentException if it is shorter; the message names both lengths
     */
    DistributedLock withFixedLease(Duration length);

    /**
     * This lock, which stays busy for at least this long after each grant, by the store's clock, even when it is released
     * earlier. For a short job on several nodes whose clocks differ: the second node must not find the lock free again.
     *
     * <p>The release is what keeps the lock busy for the rest of the minimum. If the holder dies without releasing, the
     * lock is free at the end of its lease.
     *
     * @param minimum zero (the default) or longer
     * @throws IllegalArgumentException if it is negative, or longer than a fixed lease
     */
    DistributedLock withMinimumHold(Duration minimum);

    /**
     * Waits for the lock, for {@code lock.acquire-timeout} at most, or for ever if that is not set.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.acquire-timeout}
     * @throws InterruptedException if interrupted before or while waiting; this call then does not acquire the lock, now or later
     */
    Lease acquire() throws InterruptedException;

    /**
     * Waits for the lock for this long at most.
     *
     * @param wait zero (one attempt) or longer
     * @throws LockTimeoutException if the lock was busy for all of that time
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws InterruptedException if interrupted before or while waiting; this call then does not acquire the lock, now or later
     */
    Lease acquire(Duration wait) throws InterruptedException;

    /** Takes the lock if it is free; empty if it is busy. */
    Optional<Lease> tryAcquire();

    /**
     * Waits for the lock for this long at most; empty if it was busy for all of that time.
     *
     * @param wait zero (one attempt) or longer
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws InterruptedException if interrupted before or while waiting; this call then does not acquire the lock, now or later
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * As {@link #acquire()}, without a waiting thread. The stages of the future run on threads of Holdfast, and may block
     * them: no other future, renewal or listener waits for a stage. A stage that runs on the common pool, as those of the
     * {@code …Async} methods without an executor do, waits for a free thread of that pool while the lock is held.
     *
     * @return completed with the lease, or with the exception that {@link #acquire()} would throw. Cancelling the future, or
     *     completing it by other means, withdraws the request: it then does not acquire the lock, now or later
     */
    CompletableFuture<Lease> acquireAsync();

    /**
     * As {@link #acquire(Duration)}, without a waiting thread; see {@link #acquireAsync()}.
     *
     * @param wait zero (one attempt) or longer
     * @throws IllegalArgumentException if {@code wait} is negative
     */
    CompletableFuture<Lease> acquireAsync(Duration wait);

    /**
     * Runs the body while holding the lock; waits as {@link #acquire()} does.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.acquire-timeout}; the body is then never run
     * @throws LockLostException if the lease was lost before the body ended; added as suppressed to the exception of the
     *     body, if the body threw one
     * @throws InterruptedException if interrupted before or while waiting; the body is then never run
     */
    void run(Runnable body) throws InterruptedException;

    /**
     * Runs the body while holding the lock and returns its result; waits as {@link #acquire()} does.
     *
     * @throws LockTimeoutException if it was busy for all of {@code lock.acquire-timeout}; the body is then never run
     * @throws LockLostException if the lease was lost before the body ended; added as suppressed to the exception of the
     *     body, if the body threw one
     * @throws InterruptedException if interrupted before or while waiting; the body is then never run
     * @throws Exception what the body throws
     */
    <T extends @org.jspecify.annotations.Nullable Object> T call(Callable<T> body) throws Exception;

    /**
     * This lock as the JDK's type, for code that requires it. It is held by a thread, not by a task: work that spans several
     * threads takes a {@link Lease} instead.
     *
     * <ul>
     *   <li><em>Reentrant:</em> holds are counted per {@link Locks}, name and thread, through any view of the lock. The view that
     *       locks first decides the length and the renewal of the lease.
     *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, whatever {@code lock.acquire-timeout} is. An interrupt
     *       neither ends {@code lock()} nor costs it its place in the queue; the flag is kept.
     *   <li>{@code tryLock()} makes one attempt and never waits, and so does {@code tryLock(time, unit)} with a time of zero
     *       or less. {@code tryLock()} ignores interrupts. {@code tryLock(time, unit)} and {@code lockInterruptibly()} throw
     *       {@link InterruptedException} if interrupted before or while waiting; this call then does not acquire the lock, now or later.
     *   <li>{@code unlock()} by a thread that does not hold the lock throws {@link IllegalMonitorStateException}.
     *   <li><em>Once the lease is lost</em>, every method that locks throws {@link LockLostException} on the thread that held it,
     *       and so does {@code unlock()}, which still counts down: after the last one the thread can lock again.
     *   <li>A store that does not answer causes a {@link LockUnavailableException}. After one from {@code unlock()} the thread
     *       does not hold the lock; the release is repeated in the background, as for {@link Lease#release()}.
     *   <li>Once the {@link Locks} are closed, every method throws {@link IllegalStateException}; {@code unlock()} only on a
     *       thread that held the lock until then.
     *   <li><em>A thread that ends</em> without unlocking is noticed within seconds: its lock is released, and a warning
     *       names thread and lock.
     *   <li>{@code newCondition()} throws {@link UnsupportedOperationException}.
     * </ul>
     *
     * <p>Virtual threads may use it like any other thread. A thread that holds nothing costs no memory. Thread-safe.
     *
     * @throws UnsupportedOperationException if this lock is a view of a {@link DistributedSemaphore} with more than one permit: no thread
     *     owns permits
     */
    Lock asLock();

    /**
     * This lock as the JDK's pair of a read lock, {@code shared().asLock()}, and a write lock, {@code asLock()}. Both are reentrant
     * as {@link #asLock()} describes, and one thread may hold both:
     *
     * <ul>
     *   <li>A thread that holds the write lock takes the read lock without a request to the store.
     *   <li>If it then unlocks the write lock first, it keeps the exclusive lease until it unlocks the read lock: until then, other
     *       readers wait.
     *   <li>A thread that holds only the read lock cannot lock the write lock, as it would wait for itself: the methods that lock it
     *       throw {@link IllegalStateException} at once.
     * </ul>
     *
     * <p>Thread-safe.
     *
     * @throws UnsupportedOperationException as for {@link #shared()}
     */
    ReadWriteLock asReadWriteLock();

    /**
     * The lease by which the calling thread holds this lock through {@link #asLock()}: for its fencing token, its state, or to
     * extend it. To release it, call {@code unlock()}.
     *
     * @return empty if the calling thread does not hold the lock that way; after a loss, the lost lease until the last
     *     {@code unlock()}
     */
    Optional<Lease> currentThreadLease();
}
