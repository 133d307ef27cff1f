package dev.holdfast.lock.composite.member;

import dev.holdfast.lock.composite.protocol.Member;
import dev.holdfast.lock.composite.protocol.RoutedBatch;
import dev.holdfast.lock.composite.protocol.StoreTask;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Member} that admits one thread at a time, by a lock that is never held during a store call. {@link #grantValidity}, which
 * the engine reads for each state of a lease, takes no lock.
 */
public final class SerializedMember {

    private final Member member;
    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** The targets whose threads wait for a task and have seen the latest change. */
    private final Set<Target> idle = EnumSet.noneOf(Target.class);

    private boolean closed;

    public SerializedMember(Member member, Clock clock) {
        this.member = member;
        this.clock = clock;
    }

    public DualClockInstant now() {
        return clock.now();
    }

    /** As {@link Member#route}. */
    public RoutedBatch route(List<LockCommand> commands) {
        lock.lock();
        try {
            RoutedBatch batch = member.route(commands, clock.now());
            wakeIfUrgent();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** As {@link Member#settle}. */
    public List<LockReply> settle(RoutedBatch batch, List<LockReply> replies, DualClockInstant sent) {
        lock.lock();
        try {
            List<LockReply> settled = member.settle(batch, replies, sent, clock.now());
            wakeIfUrgent();
            return settled;
        } finally {
            lock.unlock();
        }
    }

    private void wakeIfUrgent() {
        if (member.isUrgent()) {
            signal();
        }
    }

    /** The validity of grants. Takes no lock. */
    public GrantValidity grantValidity() {
        return new GrantValidity() {
            @Override
            public DualClockInstant end(LockName name, AcquisitionId id, DualClockInstant deadline) {
                return member.end(name, id, deadline, clock.now());
            }

            @Override
            public @Nullable String whyUnconfirmed(LockName name, AcquisitionId id) {
                return member.whyUnconfirmed(name, id);
            }

            @Override
            public boolean isSettled(LockName name, AcquisitionId id) {
                return member.isSettled(name, id, clock.now());
            }
        };
    }

    /** Whether the latest authority state that is known has this phase. Takes no lock. */
    public boolean isIn(FailoverPhase phase) {
        return member.isIn(phase);
    }

    /** As {@link Member#isCutOff}. Takes no lock. */
    public boolean isCutOff() {
        return member.isCutOff();
    }

    /** As {@link Member#whySuspended}. Takes no lock. */
    public Optional<String> whySuspended() {
        return Optional.ofNullable(member.whySuspended());
    }

    /** Takes the next task for this store; null if there is none now. */
    public @Nullable StoreTask<?> poll(Target target) {
        lock.lock();
        try {
            return member.next(target, clock.now());
        } finally {
            lock.unlock();
        }
    }

    /** Takes the next task for this store, as soon as there is one; null once this is closed. */
    public @Nullable StoreTask<?> take(Target target) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                DualClockInstant now = clock.now();
                StoreTask<?> task = member.next(target, now);
                if (task != null) {
                    idle.remove(target);
                    return task;
                }
                idle.add(target);
                changed.awaitNanos(Math.max(1, member.idleTime(target, now).toNanos()));
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Passes the outcome of a task to the member. */
    public <T> void complete(
            StoreTask<T> task, @Nullable T result, @Nullable RuntimeException failure, DualClockInstant sent) {
        lock.lock();
        try {
            task.completion().complete(result, failure, sent, clock.now());
            signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the condition is true, at most for this long, and returns whether it is. */
    public boolean await(Predicate<Member> condition, Duration timeout) {
        lock.lock();
        try {
            long left = timeout.toNanos();
            while (!condition.test(member) && left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
            return condition.test(member);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return condition.test(member);
        } finally {
            lock.unlock();
        }
    }

    private void signal() {
        idle.clear();
        changed.signalAll();
    }

    /** Makes the threads read the clock again. */
    public void wake() {
        lock.lock();
        try {
            signal();
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is no task, and none is in progress. */
    public boolean isIdle() {
        lock.lock();
        try {
            return closed || idle.size() == Target.values().length;
        } finally {
            lock.unlock();
        }
    }

    public void close() {
        lock.lock();
        try {
            closed = true;
            signal();
        } finally {
            lock.unlock();
        }
    }
}
