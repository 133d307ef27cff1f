package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.SimpleLockStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A store of the locks of one space. No command waits, so timeouts do not matter. */
final class MemoryLockStore extends SimpleLockStore {

    private static final Set<Capability> CAPABILITIES = Set.of(Capability.values());

    private final MemorySpace space;
    private volatile boolean closed;

    MemoryLockStore(MemorySpace space) {
        this.space = space;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return space.subscribe(to);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        ensureOpen();
        return space.list(prefix).stream();
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return List.of(Finding.warning(
                "store",
                "locks in memory exclude only the threads of one process",
                "for production set lock.provider to a store that processes share, such as jdbc or redis"));
    }

    @Override
    protected LockReply acquire(LockCommand.Acquire command, Duration timeout) {
        return execute(command);
    }

    @Override
    protected LockReply renew(LockCommand.Renew command, Duration timeout) {
        return execute(command);
    }

    @Override
    protected LockReply release(LockCommand.Release command, Duration timeout) {
        return execute(command);
    }

    private LockReply execute(LockCommand command) {
        ensureOpen();
        return space.execute(command);
    }

    private void ensureOpen() {
        if (closed) {
            throw new IllegalStateException("this store is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
