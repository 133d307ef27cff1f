package dev.holdfast.lock.cli;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What {@code lock run} was asked for.
 *
 * @param name the lock's name
 * @param patience how long to wait; empty for what the configuration says, which is for ever if it says nothing
 * @param lease how long a lease lasts; empty for what the configuration says
 * @param atLeast how long the lock is kept from others after the grant, even if the command ends earlier
 * @param ifBusy what to do when the wait is over
 * @param command the command and its arguments
 */
record Request(
        String name,
        Optional<Duration> patience,
        Optional<Duration> lease,
        Duration atLeast,
        IfBusy ifBusy,
        List<String> command) {

    /** The lock that is asked for. */
    DistributedLock in(Locks locks) {
        DistributedLock lock = locks.named(name);
        if (lease.isPresent()) {
            lock = lock.withLease(lease.get());
        }
        return lock.withMinimumHold(atLeast);
    }
}
