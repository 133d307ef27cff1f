package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;

/**
 * {@code lock.provider=memory}: locks that exclude the threads of this process from each other, and nobody else. For
 * tests. Whatever opens the same namespace in this process shares its locks.
 */
public final class MemoryLockProvider implements LockProvider {

    /** For {@link java.util.ServiceLoader}. */
    public MemoryLockProvider() {}

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return MemorySpace.of(namespace).open();
    }
}
