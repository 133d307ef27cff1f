package dev.holdfast.lock.spring.shedlock;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease as a ShedLock lock, which is unlocked or extended once; an extension is another lock on the same lease. Unlike
 * ShedLock's own locks, one that could not be extended can still be unlocked: its executor does so, and an exception there
 * would hide the result of the task.
 */
final class LeaseSimpleLock implements SimpleLock {

    private static final Logger log = LoggerFactory.getLogger(HoldfastLockProvider.class);

    private final HoldfastLockProvider provider;
    private final LockConfiguration configuration;
    private final Lease lease;
    private final boolean renewed;
    private volatile boolean isOver;

    /** @param renewed whether the lease is renewed in the background, and needs no extension */
    LeaseSimpleLock(HoldfastLockProvider provider, LockConfiguration configuration, Lease lease, boolean renewed) {
        this.provider = provider;
        this.configuration = configuration;
        this.lease = lease;
        this.renewed = renewed;
    }

    @Override
    public void unlock() {
        requireNotOver();
        isOver = true;
        lease.close();
        if (lease.state() == LeaseState.LOST) {
            log.warn(
                    "'{}' was lost before the end of the task (lockAtMostFor {}): another node may have run it meanwhile",
                    lease.name(),
                    configuration.getLockAtMostFor());
        }
    }

    @Override
    public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
        requireNotOver();
        LockConfiguration extended =
                new LockConfiguration(ClockProvider.now(), lease.name(), lockAtMostFor, lockAtLeastFor);
        try {
            if (!renewed) {
                lease.extend(provider.atMost(lease.name(), lockAtMostFor));
            }
            lease.holdAtLeast(lockAtLeastFor);
        } catch (LockLostException e) {
            return Optional.empty();
        }
        isOver = true;
        return Optional.of(new LeaseSimpleLock(provider, extended, lease, renewed));
    }

    private void requireNotOver() {
        if (isOver) {
            throw new IllegalStateException("the lock '" + lease.name() + "' was unlocked or extended already");
        }
    }

    @Override
    public String toString() {
        return "ShedLock's lock on the " + lease;
    }
}
