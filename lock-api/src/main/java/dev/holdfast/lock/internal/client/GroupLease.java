package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.engine.FirstFailure;
import dev.holdfast.lock.internal.engine.LeaseLog;
import dev.holdfast.lock.spi.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leases that are held together. The first lease that is found to be over, by a read or by its loss, ends the group for good; the
 * listeners are called when the lease pushes its loss, which it does once.
 *
 * <p>No lease is called under the guard of the group: a lease may push its loss under its own.
 */
final class GroupLease implements LeaseGroup {

    private static final Logger log = LoggerFactory.getLogger(GroupLease.class);

    private final List<String> names;
    /** The last acquired first: a waiter for the first finds the others free. */
    private final List<DefaultLease> leases;

    private final Clock clock;
    private final LeaseLog leaseLog;
    private final Executor completions;
    private final ReentrantLock guard = new ReentrantLock();
    private final List<Lease.LossListener> listeners = new ArrayList<>(1);
    /** Written once, under the guard; null while the group is held. */
    private volatile @Nullable End end;

    /**
     * A group that is not watched yet.
     *
     * @param names in the order given
     * @param leases in the order of their release
     * @param completions complete the futures of the application; never fail
     */
    GroupLease(List<String> names, List<DefaultLease> leases, Clock clock, LeaseLog leaseLog, Executor completions) {
        this.names = names;
        this.leases = leases;
        this.clock = clock;
        this.leaseLog = leaseLog;
        this.completions = completions;
    }

    /** Watches for losses from now on, and notices an earlier one. */
    void begin() {
        leases.forEach(lease -> lease.onLost(loss -> memberLost(lease, loss)));
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public long fencingToken(String name) {
        return leases.stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + name + "' is not one of " + names))
                .fencingToken();
    }

    @Override
    public LeaseState state() {
        End over = look();
        if (over != null) {
            return over.state();
        }
        boolean doubt = leases.stream().anyMatch(lease -> lease.state() == LeaseState.UNCONFIRMED);
        return doubt ? LeaseState.UNCONFIRMED : LeaseState.HELD;
    }

    @Override
    public Duration remaining() {
        return look() != null
                ? Duration.ZERO
                : leases.stream()
                        .map(Lease::remaining)
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
    }

    @Override
    public void ensureHeld() {
        End over = look();
        if (over != null && over.loss() != null) {
            throw new LockLostException(String.valueOf(over.loss().getMessage()));
        } else if (over != null) {
            throw new IllegalStateException("the leases of " + names + " were released");
        }
    }

    @Override
    public void onLost(Lease.LossListener listener) {
        End over = look();
        guard.lock();
        try {
            if (over == null) {
                over = end;
            }
            if (over == null) {
                listeners.add(listener);
            }
        } finally {
            guard.unlock();
        }
        if (over != null && over.loss() != null) {
            listener.lost(over.loss());
        }
    }

    @Override
    public void removeLossListener(Lease.LossListener listener) {
        guard.lock();
        try {
            listeners.remove(listener);
        } finally {
            guard.unlock();
        }
    }

    @Override
    public boolean release() {
        if (look() != null || !end(End.RELEASED)) {
            return false;
        }
        boolean allHeld = true;
        FirstFailure failure = new FirstFailure();
        for (DefaultLease lease : leases) {
            if (failure.isEmpty()) {
                allHeld &= failure.of(lease::release, false);
            } else {
                failure.of(lease::closeInBackground); // so that the waits for a silent store do not add up
            }
        }
        failure.rethrow();
        return allHeld;
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        CompletableFuture<Boolean> all = CompletableFuture.completedFuture(false);
        if (look() == null && end(End.RELEASED)) {
            all = leases.stream()
                    .map(GroupLease::beginRelease)
                    .reduce((some, next) ->
                            some.thenCombine(next, Boolean::logicalAnd)) // fails as the first does that fails
                    .orElseThrow();
        }
        return AsyncRelease.completedOn(completions, all);
    }

    private static CompletableFuture<Boolean> beginRelease(DefaultLease lease) {
        try {
            return lease.beginRelease();
        } catch (RuntimeException | Error e) { // such as a lack of memory: the others are released nevertheless
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public void close() {
        if (look() == null && end(End.RELEASED)) {
            PatientClose.close(leases, clock);
        }
    }

    /** How it ended; null if it is held, as far as its leases know. */
    private @Nullable End look() {
        for (Lease lease : leases) {
            End over = end;
            if (over != null) {
                return over;
            }
            try {
                lease.ensureHeld();
            } catch (LockLostException loss) {
                lose(lease, loss);
            } catch (IllegalStateException e) { // by the close of the locks
                end(End.RELEASED);
            }
        }
        return end;
    }

    private void memberLost(Lease lease, LockLostException loss) {
        lose(lease, loss);
        End over = end;
        if (over != null && over.loss() != null) {
            LockLostException first = over.loss();
            FirstFailure failure = new FirstFailure();
            takeListeners().forEach(listener -> failure.of(() -> tell(listener, first)));
            failure.rethrow();
        }
    }

    private void lose(Lease lease, LockLostException loss) {
        if (end(new End(LeaseState.LOST, loss))) {
            leaseLog.groupLost(names, lease.name());
        }
    }

    private List<Lease.LossListener> takeListeners() {
        guard.lock();
        try {
            List<Lease.LossListener> taken = List.copyOf(listeners);
            listeners.clear();
            return taken;
        } finally {
            guard.unlock();
        }
    }

    private static void tell(Lease.LossListener listener, LockLostException loss) {
        try {
            listener.lost(loss);
        } catch (Throwable e) { // the other listeners are called nevertheless
            log.error("a loss listener of a group threw on: {}", loss.getMessage(), e);
        }
    }

    /**
     * Ends the group, unless it is over. The remaining leases of a lost group are released in the background, as this thread
     * delivers losses.
     *
     * @return false if it was over before
     */
    private boolean end(End how) {
        guard.lock();
        try {
            if (end != null) {
                return false;
            }
            end = how;
        } finally {
            guard.unlock();
        }
        if (how.loss() != null) {
            leases.forEach(this::closeInBackground);
        }
        return true;
    }

    /** A failure, such as a lack of memory, must not keep the other leases from being released. */
    private void closeInBackground(DefaultLease lease) {
        try {
            lease.closeInBackground();
        } catch (RuntimeException | Error e) {
            log.warn("the lease of '{}', of a group that was lost, could not be released; it expires", lease.name(), e);
        }
    }

    @Override
    public String toString() {
        return "leases of " + names + ", " + state();
    }

    private record End(LeaseState state, @Nullable LockLostException loss) {
        static final End RELEASED = new End(LeaseState.RELEASED, null);
    }
}
