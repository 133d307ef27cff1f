package dev.holdfast.lock.spring.integration;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.Locks;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Spring Integration's lock registry on Holdfast. The lock of a key is the lock of that name, with a prefix if there is one:
 * {@code locks.named(prefix + key)} is the same lock.
 *
 * <ul>
 *   <li>A lock belongs to the thread that locked it, and is reentrant. {@code unlock()} by another thread throws
 *       {@link IllegalMonitorStateException}.
 *   <li>{@code lock()}, {@code lockInterruptibly()} and {@code tryLock} take a lease of {@code lock.lease} that is renewed in the
 *       background until the lock is unlocked; no task scheduler is needed for that. With a time to live, the lease is not
 *       renewed, except by {@link #renewLock}. The call that locks first decides.
 *   <li>Waiters don't poll: each has its place in the queue.
 *   <li>Once the lease is lost, every call that locks throws {@link LockLostException} on the thread that held it, and
 *       {@code unlock()} throws {@link java.util.ConcurrentModificationException}, after which the thread can lock again.
 *   <li>A store that does not answer is a {@link dev.holdfast.lock.LockUnavailableException}, not {@code false}.
 *   <li>There are no conditions.
 * </ul>
 *
 * <p>A {@code LockRegistryLeaderInitiator} with this registry checks its lease once per heartbeat, without a call to the store.
 * A leader that lost its lease is revoked at the next check, so a new leader may begin up to one heartbeat before the old one
 * is revoked. {@link Lease#onLost} of {@link #currentLease} reports a loss at once.
 *
 * <p>Keys are strings. A name of more than 255 code points is shortened to 190, followed by the SHA-256 of the whole name.
 *
 * <p>Locks that are not in use cost no memory. Thread-safe.
 */
public final class HoldfastLockRegistry implements RenewableLockRegistry<DistributedLock> {

    private static final int LONGEST_NAME = 255;
    /** The number of code points kept of a longer name, beside its digest of 64 digits and the separator. */
    private static final int KEPT = 190;

    private final Locks locks;
    private final String prefix;

    /** One object per key for as long as it is in use, as in other registries. */
    private final Map<String, LockReference> known = new ConcurrentHashMap<>();

    private final ReferenceQueue<RegistryLock> collected = new ReferenceQueue<>();

    /** The time to live of leases that are not renewed. A lease has an entry for as long as its thread holds it. */
    private final Map<Lease, Duration> timesToLive = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Creates a registry on these locks.
     *
     * @param locks remain the caller's to close
     */
    public HoldfastLockRegistry(Locks locks) {
        this(locks, "");
    }

    /**
     * Creates a registry on those of these locks whose names begin with this prefix.
     *
     * @param locks remain the caller's to close
     * @param prefix before each key, such as {@code integration:}; empty for none
     */
    public HoldfastLockRegistry(Locks locks, String prefix) {
        this.locks = locks;
        this.prefix = prefix;
    }

    /**
     * The lock of this key: the same object for equal keys, for as long as it is in use.
     *
     * @throws IllegalArgumentException if the key is not a string, or not allowed as a name, with the reason
     */
    @Override
    public DistributedLock obtain(Object lockKey) {
        return lock(lockKey);
    }

    private RegistryLock lock(Object lockKey) {
        String name = nameOf(lockKey);
        forgetUnused();
        RegistryLock lock = null;
        while (lock == null) { // it may be collected between the two calls
            RegistryLock unknown = new RegistryLock(locks.named(name), timesToLive);
            lock = known.compute(
                            name,
                            (same, found) -> found == null || found.refersTo(null)
                                    ? new LockReference(name, unknown, collected)
                                    : found)
                    .get();
        }
        return lock;
    }

    private void forgetUnused() {
        for (Reference<?> each = collected.poll(); each != null; each = collected.poll()) {
            if (each instanceof LockReference unused) {
                known.remove(unused.name, unused);
            }
        }
    }

    private String nameOf(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException(
                    "a lock key is a String, not " + lockKey.getClass().getName() + ": " + lockKey);
        }
        String name = prefix + key;
        if (name.codePointCount(0, name.length()) <= LONGEST_NAME) {
            return name;
        }
        return name.substring(0, name.offsetByCodePoints(0, KEPT)) + "~" + digest(name);
    }

    private static String digest(String name) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha256.digest(name.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * The lease with which the calling thread holds the lock of this key: for its fencing token, or to be notified of a loss.
     *
     * @return empty if the calling thread does not hold it
     */
    public Optional<Lease> currentLease(Object lockKey) {
        return lock(lockKey).currentLease();
    }

    /**
     * Extends a lease with a time to live by that time, counted from now. For a lease that is renewed in the background, checks
     * that it is held.
     *
     * @throws IllegalMonitorStateException if the calling thread does not hold the lock
     * @throws IllegalStateException if the lease is lost
     * @throws dev.holdfast.lock.LockUnavailableException if the store did not answer; the lease keeps its end
     */
    @Override
    public void renewLock(Object lockKey) {
        lock(lockKey).renew(null);
    }

    /**
     * Extends a lease with a time to live, so that it lasts for at least this time from now; never shortens it. For a
     * lease that is renewed in the background, checks that it is held.
     *
     * @param ttl as for {@link dev.holdfast.lock.DistributedLock#withFixedLease}
     * @throws IllegalArgumentException if the time is too short or too long
     * @throws IllegalMonitorStateException if the calling thread does not hold the lock
     * @throws IllegalStateException if the lease is lost
     * @throws dev.holdfast.lock.LockUnavailableException if the store did not answer; the lease keeps its end
     */
    @Override
    public void renewLock(Object lockKey, Duration ttl) {
        lock(lockKey).renew(ttl);
    }

    @Override
    public String toString() {
        return "HoldfastLockRegistry on " + locks.provider() + (prefix.isEmpty() ? "" : ", prefix '" + prefix + "'");
    }

    private static final class LockReference extends WeakReference<RegistryLock> {
        private final String name;

        LockReference(String name, @Nullable RegistryLock lock, ReferenceQueue<RegistryLock> collected) {
            super(lock, collected);
            this.name = name;
        }
    }
}
