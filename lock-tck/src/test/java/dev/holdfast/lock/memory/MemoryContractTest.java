package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Properties;

/** The reference store passes the kit. */
class MemoryContractTest extends LockStoreContract {

    @Override
    protected Properties configuration() {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "memory");
        return properties;
    }

    @Override
    protected boolean sharedBetweenProcesses() {
        return false;
    }

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        MemorySpace space = MemorySpace.of(namespace);
        InstantSource before = space.clock();
        space.useClock(() -> before.instant().minus(by));
    }

    @Override
    protected void prune(Namespace namespace) {
        // Nothing to do: an idle name is dropped by the step that leaves it idle.
    }

    @Override
    protected long namesKept(Namespace namespace) {
        return MemorySpace.of(namespace).namesInUse();
    }
}
