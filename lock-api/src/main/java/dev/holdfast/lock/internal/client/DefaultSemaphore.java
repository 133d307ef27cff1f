package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.DistributedSemaphore;
import dev.holdfast.lock.spi.Share;

/**
 * A semaphore: views of the lock of its name, each with a share.
 *
 * @param lock of all of its permits
 */
record DefaultSemaphore(DefaultLock lock, int limit) implements DistributedSemaphore {

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public DistributedLock permits(int number) {
        return lock.of(new Share(number, limit));
    }

    @Override
    public String toString() {
        return "semaphore '" + name() + "' of " + limit;
    }
}
