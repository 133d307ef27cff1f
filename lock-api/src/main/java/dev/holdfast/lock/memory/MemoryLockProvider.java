package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;

/**
 * {@code lock.provider=memory}: locks within this process, for tests. All stores of one namespace share their locks, for as
 * long as the process lasts. Other processes are not excluded.
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
