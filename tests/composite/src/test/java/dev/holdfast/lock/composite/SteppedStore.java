package dev.holdfast.lock.composite;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A composite that goes by the clock of its group. */
class SteppedStore implements GrantValidityStore {

    private final CompositeLockStore composite;
    private final CompositeGroup group;

    SteppedStore(CompositeLockStore composite, CompositeGroup group) {
        this.composite = composite;
        this.group = group;
        group.join(composite);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
        return composite.execute(commands, timeout);
    }

    @Override
    public int parallelCalls() {
        return composite.parallelCalls();
    }

    @Override
    public GrantValidity grantValidity() {
        return group.tenure(composite.grantValidity());
    }

    @Override
    public FailoverStatus status(Duration timeout) {
        return composite.status(timeout);
    }

    @Override
    public void watch(Runnable sooner, Consumer<FailoverEvent> events) {
        composite.watch(sooner, events);
    }

    @Override
    public Set<Capability> capabilities() {
        return composite.capabilities();
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return composite.subscribe(to);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        return composite.list(prefix, timeout);
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        return composite.diagnose(timeout);
    }

    @Override
    public void close() {
        group.leave(composite);
        composite.close();
    }
}
