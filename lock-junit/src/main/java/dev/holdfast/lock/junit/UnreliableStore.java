package dev.holdfast.lock.junit;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A store that is unreachable on demand, and loses notifications meanwhile. Closing it leaves the store behind it open. */
final class UnreliableStore extends ForwardingLockStore {

    private volatile boolean fails;

    UnreliableStore(LockStore store) {
        super(store);
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
        return super.execute(commands, timeout);
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> listener) {
        return super.subscribe(notification -> {
            if (!fails) {
                listener.accept(notification);
            }
        });
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        requireReachable();
        return super.list(prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        requireReachable();
        return super.diagnose(timeout);
    }

    @Override
    public void close() {}
}
