package dev.holdfast.lock.composite;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.admin.RegimeStatus;
import dev.holdfast.lock.spi.regime.GrantValidity;
import dev.holdfast.lock.spi.regime.GrantValidityStore;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
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
    public List<Answer> apply(List<Step> steps, Duration timeout) {
        return composite.apply(steps, timeout);
    }

    @Override
    public GrantValidity grantValidity() {
        return group.tenure(composite.grantValidity());
    }

    @Override
    public RegimeStatus status(Duration timeout) {
        return composite.status(timeout);
    }

    @Override
    public void watch(Runnable sooner, Consumer<RegimeEvent> events) {
        composite.watch(sooner, events);
    }

    @Override
    public Set<Capability> capabilities() {
        return composite.capabilities();
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return composite.signals(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        return composite.inspect(prefix, timeout);
    }

    @Override
    public List<Finding> examine(Duration timeout) {
        return composite.examine(timeout);
    }

    @Override
    public void close() {
        group.leave(composite);
        composite.close();
    }
}
