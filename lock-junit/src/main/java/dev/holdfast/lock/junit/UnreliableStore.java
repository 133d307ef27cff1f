package dev.holdfast.lock.junit;

import dev.holdfast.lock.LockUnavailableException;
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

/** A store that is unreachable on demand, and loses notifications meanwhile. Closing it leaves the store behind it open. */
final class UnreliableStore implements LockStore {

    private final LockStore store;
    private volatile boolean fails;

    UnreliableStore(LockStore store) {
        this.store = store;
    }

    void fail() {
        fails = true;
    }

    void recover() {
        fails = false;
    }

    private void requireReachable() {
        if (fails) {
            throw new LockUnavailableException("the test has made the store unreachable", null);
        }
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        requireReachable();
        return store.execute(commands, timeout);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return store.subscribe(notification -> {
            if (!fails) {
                listener.accept(notification);
            }
        });
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        requireReachable();
        return store.list(prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        requireReachable();
        return store.diagnose(timeout);
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
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
    public void close() {}
}
