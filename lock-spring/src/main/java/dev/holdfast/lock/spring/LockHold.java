package dev.holdfast.lock.spring;

import dev.holdfast.lock.HeldLocks;
import dev.holdfast.lock.Lease;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one acquisition holds, until the last of its users has ended: the method that acquired it, methods that joined it,
 * futures that these returned, and transactions. Thread-safe.
 */
final class LockHold {

    private final HeldLocks locks;
    private final AtomicInteger users = new AtomicInteger(1);

    LockHold(HeldLocks locks) {
        this.locks = locks;
    }

    /** Adds a user, unless there are none left: then false, and the locks are released. */
    boolean retain() {
        while (true) {
            int count = users.get();
            if (count == 0) {
                return false;
            }
            if (users.compareAndSet(count, count + 1)) {
                return true;
            }
        }
    }

    /** Takes away a user; the last one releases. Never throws. */
    void release() {
        if (users.decrementAndGet() == 0) {
            locks.close();
        }
    }

    /** What is held; its users do not release it themselves. */
    HeldLocks locks() {
        return locks;
    }

    /** As {@link Lease#extend}; several locks held together are renewed in the background. */
    void extend(Duration length) {
        if (!(locks instanceof Lease lease)) {
            throw new IllegalStateException("the leases of " + locks.names() + " are renewed in the background");
        }
        lease.extend(length);
    }
}
