package dev.holdfast.lock.spring.shedlock;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ShedLock's lock provider on Holdfast. ShedLock's name of a lock is Holdfast's.
 *
 * <ul>
 *   <li>{@code lockAtMostFor} is the length of the lease, by the store's clock. A shorter time than {@link
 *       Locks#shortestLease()} is raised to that, which is logged the first time.
 *   <li>{@code lockAtLeastFor} is the minimum hold: the lock stays busy for that long, however soon it is unlocked.
 *   <li>A busy lock is refused at once. A store that does not answer is a
 *       {@link dev.holdfast.lock.LockUnavailableException}, as it is unknown whether the lock is busy.
 *   <li>{@code unlock()} never fails because of the store: an unanswered release is repeated in the background. If the task took
 *       longer than {@code lockAtMostFor}, a warning says that another node may have run it meanwhile.
 *   <li>{@code extend} counts both times from now. It never shortens {@code lockAtMostFor}. It is empty if the lock is lost, and
 *       throws {@link dev.holdfast.lock.LockUnavailableException} if the store did not answer; the lock then keeps its end, and may
 *       be extended again.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {

    private static final Logger log = LoggerFactory.getLogger(HoldfastLockProvider.class);

    private final Locks locks;
    private final boolean renewing;

    /** Whether a time that is too short has been logged. */
    private final AtomicBoolean isRaised = new AtomicBoolean();

    /**
     * Creates a provider of these locks.
     *
     * @param locks remain the caller's to close
     */
    public HoldfastLockProvider(Locks locks) {
        this(locks, false);
    }

    private HoldfastLockProvider(Locks locks, boolean renewing) {
        this.locks = locks;
        this.renewing = renewing;
    }

    /**
     * A provider of the same locks that renews them in the background until they are unlocked, so that a task may take longer
     * than {@code lockAtMostFor}. {@code lockAtMostFor} is then how long the lock of a crashed node stays busy, and {@code
     * extend} only sets {@code lockAtLeastFor}. Unlike ShedLock's {@code KeepAliveLockProvider}, which ends with the first
     * renewal that fails, it goes on renewing after one that was not answered.
     */
    public HoldfastLockProvider withRenewal() {
        return new HoldfastLockProvider(locks, true);
    }

    /**
     * Locks if the lock is free.
     *
     * @return empty if the lock is busy
     * @throws IllegalArgumentException if a time or the name is not allowed, with the reason
     * @throws dev.holdfast.lock.LockUnavailableException if the store did not answer
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        return lockOf(configuration)
                .tryAcquire()
                .map(lease -> new LeaseSimpleLock(this, configuration, lease, renewing));
    }

    private DistributedLock lockOf(LockConfiguration configuration) {
        try {
            DistributedLock lock = locks.named(configuration.getName());
            DistributedLock leased = renewing
                    ? lock.withLease(atMost(configuration.getName(), configuration.getLockAtMostFor()))
                    : lock.withFixedLease(atMost(configuration.getName(), configuration.getLockAtMostFor()));
            return leased.withMinimumHold(configuration.getLockAtLeastFor());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the lock '" + configuration.getName() + "' cannot have lockAtMostFor="
                            + configuration.getLockAtMostFor() + " and lockAtLeastFor="
                            + configuration.getLockAtLeastFor() + ": " + e.getMessage(),
                    e);
        }
    }

    /** The longest time for which a lock is held, raised to the shortest possible lease. */
    Duration atMost(String name, Duration lockAtMostFor) {
        Duration shortest = locks.shortestLease();
        if (lockAtMostFor.compareTo(shortest) >= 0) {
            return lockAtMostFor;
        }
        if (isRaised.compareAndSet(false, true)) {
            log.warn(
                    "lockAtMostFor {} of '{}' is shorter than the shortest lease of the store '{}': it is raised to {},"
                            + " here and elsewhere",
                    lockAtMostFor,
                    name,
                    locks.provider(),
                    shortest);
        }
        return shortest;
    }

    @Override
    public String toString() {
        return "HoldfastLockProvider on " + locks.provider();
    }
}
