package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.SimpleLockStore;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/** One opened view of a space. Never waits, so that a timeout means nothing to it. */
final class MemoryLockStore extends SimpleLockStore {

    private final MemorySpace space;
    private volatile boolean closed;

    MemoryLockStore(MemorySpace space) {
        this.space = space;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.QUEUE, Capability.SIGNALS);
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return space.signals(to);
    }

    @Override
    protected Answer acquire(Step.Acquire step, Duration timeout) {
        return carryOut(step);
    }

    @Override
    protected Answer renew(Step.Renew step, Duration timeout) {
        return carryOut(step);
    }

    @Override
    protected Answer release(Step.Release step, Duration timeout) {
        return carryOut(step);
    }

    private Answer carryOut(Step step) {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
        return space.carryOut(step);
    }

    @Override
    public void close() {
        closed = true;
    }
}
