package dev.holdfast.lock.cli;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;

/** {@code lock.provider=one-process}: the store in memory for runs within one process, to which {@code lock run} is refused. */
public final class OneProcessProvider implements LockProvider {

    /** For the service loader. */
    public OneProcessProvider() {}

    @Override
    public String name() {
        return "one-process";
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return MemorySpace.of(namespace).open();
    }
}
