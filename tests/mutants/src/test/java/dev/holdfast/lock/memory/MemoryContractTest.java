package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.MemoryContract;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Tag;

/** The memory store passes the kit. */
@Tag("first-build")
class MemoryContractTest extends MemoryContract {

    @Override
    protected void stepClockBack(Namespace namespace, Duration by) {
        MemorySpace space = MemorySpace.of(namespace);
        InstantSource before = space.clock();
        space.useClock(() -> before.instant().minus(by));
    }

    @Override
    protected void prune(Namespace namespace) {
        // nothing to do: the command that leaves a name idle drops it
    }

    @Override
    protected long namesKept(Namespace namespace) {
        return MemorySpace.of(namespace).namesInUse();
    }
}
