package dev.holdfast.lock.spi.support;

import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Passes every call on to another store: the superclass of stores that watch or change some of the calls. As thread-safe as the other
 * store.
 */
public abstract class ForwardingLockStore implements LockStore {

    private final LockStore store;

    /** @param store receives the calls, that to {@link #close} as well */
    protected ForwardingLockStore(LockStore store) {
        this.store = store;
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        return store.execute(commands, timeout);
    }

    @Override
    public int parallelCalls() {
        return store.parallelCalls();
    }

    @Override
    public Duration notificationDelay() {
        return store.notificationDelay();
    }

    @Override
    public Duration shortestLease() {
        return store.shortestLease();
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return store.subscribe(listener);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return store.list(prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return store.diagnose(timeout);
    }

    @Override
    public void close() {
        store.close();
    }
}
