package dev.holdfast.lock.spring.integration;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockLostException;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock of the registry: {@link DistributedLock#asLock()}, with the exceptions that users of Spring Integration expect. */
final class RegistryLock implements org.springframework.integration.support.locks.DistributedLock {

    private final DistributedLock lock;
    private final Lock renewed;
    private final Map<Lease, Duration> timesToLive;

    /** @param timesToLive of the leases that are not renewed; this lock adds its own */
    RegistryLock(DistributedLock lock, Map<Lease, Duration> timesToLive) {
        this.lock = lock;
        this.renewed = lock.asLock();
        this.timesToLive = timesToLive;
    }

    @Override
    public void lock() {
        renewed.lock();
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        renewed.lockInterruptibly();
    }

    @Override
    public boolean tryLock() {
        return renewed.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return renewed.tryLock(time, unit);
    }

    @Override
    public void lock(Duration ttl) {
        Lock fixed = fixed(ttl);
        boolean isHeld = isHeld();
        fixed.lock();
        if (!isHeld) {
            remember(ttl);
        }
    }

    @Override
    public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        Lock fixed = fixed(ttl);
        boolean isHeld = isHeld();
        boolean locked = fixed.tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
        if (locked && !isHeld) {
            remember(ttl);
        }
        return locked;
    }

    private Lock fixed(Duration ttl) {
        return lock.withFixedLease(ttl).asLock();
    }

    private boolean isHeld() {
        return currentLease().isPresent();
    }

    private void remember(Duration ttl) {
        currentLease().ifPresent(lease -> timesToLive.put(lease, ttl));
    }

    @Override
    public void unlock() {
        requireCurrentLease();
        try {
            renewed.unlock();
        } catch (LockLostException e) {
            throw new ConcurrentModificationException(
                    "the lock '" + lock.name()
                            + "' was lost before it was unlocked; what it guards may have been changed" + " meanwhile: "
                            + e.getMessage(),
                    e);
        }
    }

    Optional<Lease> currentLease() {
        return lock.currentThreadLease();
    }

    private Lease requireCurrentLease() {
        return currentLease()
                .orElseThrow(() -> new IllegalMonitorStateException("thread '"
                        + Thread.currentThread().getName() + "' does not own the lock '" + lock.name()
                        + "'; only the thread that locked it may unlock or renew it"));
    }

    /** @param ttl null for that of the call that locked it */
    void renew(@Nullable Duration ttl) {
        Lease lease = requireCurrentLease();
        Duration known = timesToLive.get(lease);
        try {
            if (known == null) {
                lease.ensureHeld();
            } else {
                lease.extend(ttl == null ? known : ttl);
            }
        } catch (LockLostException e) {
            throw new IllegalStateException(
                    "the lock '" + lock.name() + "' cannot be renewed, as it was lost: " + e.getMessage(), e);
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return "registry " + lock;
    }
}
