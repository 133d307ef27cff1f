package dev.holdfast.lock.spring;

import dev.holdfast.lock.HeldLocks;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The locks of one acquisition, held until the last of its users has ended: the method that acquired them, methods that joined
 * it, futures that these returned, and transactions. Thread-safe.
 */
final class LockHold {

    private final Locks origin;
    private final HeldLocks locks;
    private final Share share;
    private final AtomicInteger users = new AtomicInteger(1);

    /**
     * A hold with one user.
     *
     * @param origin of these locks: the same name of another origin is another lock
     * @param share of each of these locks
     */
    LockHold(Locks origin, HeldLocks locks, Share share) {
        this.origin = origin;
        this.locks = locks;
        this.share = share;
    }

    /** Whether work that needs this share may be done under this hold: it excludes at least as many others. */
    private boolean covers(Share wanted) {
        return share.isExclusive() || (share.permits() >= wanted.permits() && share.limit() <= wanted.limit());
    }

    /** Whether the lock of this name is one of these. */
    boolean contains(Locks wanted, String name) {
        return origin == wanted && locks.names().contains(name);
    }

    /** Adds a user; returns false if none is left, and the locks are therefore released. */
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

    /** Removes a user; the last one releases the locks. */
    void release() {
        if (users.decrementAndGet() == 0) {
            locks.close();
        }
    }

    /** As {@link #release}, without waiting for the store; completed after the release, if there is one, whatever its result. */
    CompletableFuture<Boolean> releaseAsync() {
        return users.decrementAndGet() == 0 ? locks.releaseAsync() : CompletableFuture.completedFuture(false);
    }

    /**
     * Fails unless this method may run under this hold.
     *
     * @throws dev.holdfast.lock.LockLostException if it is lost
     * @throws IllegalStateException if the method needs a larger share, for which it would wait for itself
     */
    void requireFor(LockedMethod method) {
        locks.ensureHeld();
        Share wanted = method.options().share();
        if (!covers(wanted)) {
            throw new IllegalStateException(method + ": its caller holds " + this
                    + ", and it would wait for itself for " + wanted + ": acquire the larger share first");
        }
    }

    /** The held locks; their users do not release them themselves. */
    HeldLocks locks() {
        return locks;
    }

    /** Like {@link Lease#extend}; several locks held together are renewed in the background. */
    void extend(Duration length) {
        if (!(locks instanceof Lease lease)) {
            throw new IllegalStateException("the leases of " + locks.names() + " are renewed in the background");
        }
        lease.extend(length);
    }

    /** For messages. */
    @Override
    public String toString() {
        return locks.names() + " (" + share + ")";
    }
}
