package dev.holdfast.lock.spring;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LeaseGroup;
import dev.holdfast.lock.LeaseState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one acquisition holds, until the last of its users has ended: the method that acquired it, methods that joined it,
 * futures that these returned, and transactions. Thread-safe.
 */
abstract sealed class LockHold {

    private final AtomicInteger users = new AtomicInteger(1);

    static LockHold of(Lease lease) {
        return new Single(lease);
    }

    static LockHold of(LeaseGroup group) {
        return new Group(group);
    }

    /** Adds a user, unless there are none left: then false, and the locks are released. */
    final boolean retain() {
        while (true) {
            int count = users.get();
            if (count == 0) {
                return false;
            }
            if (users.compareAndSet(count, count + 1)) {
                return true;
            }
        }
    }

    /** Takes away a user; the last one releases. Never throws. */
    final void release() {
        if (users.decrementAndGet() == 0) {
            close();
        }
    }

    abstract List<String> names();

    abstract long fencingToken(String name);

    abstract LeaseState state();

    abstract Duration remaining();

    abstract void ensureHeld();

    abstract void onLost(Lease.LossListener listener);

    abstract void extend(Duration length);

    abstract void close();

    private static final class Single extends LockHold {
        private final Lease lease;

        Single(Lease lease) {
            this.lease = lease;
        }

        @Override
        List<String> names() {
            return List.of(lease.name());
        }

        @Override
        long fencingToken(String name) {
            return lease.fencingToken();
        }

        @Override
        LeaseState state() {
            return lease.state();
        }

        @Override
        Duration remaining() {
            return lease.remaining();
        }

        @Override
        void ensureHeld() {
            lease.ensureHeld();
        }

        @Override
        void onLost(Lease.LossListener listener) {
            lease.onLost(listener);
        }

        @Override
        void extend(Duration length) {
            lease.extend(length);
        }

        @Override
        void close() {
            lease.close();
        }
    }

    private static final class Group extends LockHold {
        private final LeaseGroup group;

        Group(LeaseGroup group) {
            this.group = group;
        }

        @Override
        List<String> names() {
            return group.names();
        }

        @Override
        long fencingToken(String name) {
            return group.fencingToken(name);
        }

        @Override
        LeaseState state() {
            return group.state();
        }

        @Override
        Duration remaining() {
            return group.remaining();
        }

        @Override
        void ensureHeld() {
            group.ensureHeld();
        }

        @Override
        void onLost(Lease.LossListener listener) {
            group.onLost(listener);
        }

        @Override
        void extend(Duration length) {
            throw new IllegalStateException("the leases of " + names() + " are renewed in the background");
        }

        @Override
        void close() {
            group.close();
        }
    }
}
