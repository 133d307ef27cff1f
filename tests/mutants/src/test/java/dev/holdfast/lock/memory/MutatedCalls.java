package dev.holdfast.lock.memory;

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

/** The superclass of mutants that change the calls to a store. */
abstract class MutatedCalls implements LockStore {

    private final LockStore store;

    MutatedCalls(LockStore store) {
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
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return store.subscribe(to);
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
