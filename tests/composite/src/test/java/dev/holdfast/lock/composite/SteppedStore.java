package dev.holdfast.lock.composite;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.failover.GrantValidityStore;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A composite that goes by the clock of its group. */
class SteppedStore extends ForwardingLockStore implements GrantValidityStore {

    private final CompositeLockStore composite;
    private final CompositeGroup group;

    SteppedStore(CompositeLockStore composite, CompositeGroup group) {
        super(composite);
        this.composite = composite;
        this.group = group;
        group.join(composite);
    }

    /** None, as tests have leases that would not outlast a failover. */
    @Override
    public Duration shortestLease() {
        return Duration.ZERO;
    }

    @Override
    public GrantValidity grantValidity() {
        return group.tenure(composite.grantValidity());
    }

    @Override
    public Optional<String> whySuspended() {
        return composite.whySuspended();
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
    public void close() {
        group.leave(composite);
        super.close();
    }
}
