package dev.holdfast.lock.locks;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import java.util.Optional;

/** Tests whether a lock is free, by acquiring it. */
final class Free {

    private Free() {}

    static boolean isFree(Locks locks, String name) {
        Optional<Lease> lease = locks.named(name).tryAcquire();
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }
}
