package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Mutants with wrong holders or wrong ends of leases. */
final class MutatedLeases {

    private MutatedLeases() {}

    /** Grants a held lock. */
    static class GrantsTwice extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (lease(lock) != null && !lease(lock).id().equals(command.id())) {
                hold(lock, null);
            }
            return super.acquire(command, lock, now);
        }
    }

    /** Checks that the lock is free, and takes it a little later. */
    static class ChecksThenActs extends MutatedSpace {
        private final Map<LockName, LockCommand.Acquire> taken = new ConcurrentHashMap<>();

        @Override
        LockReply execute(LockCommand command) {
            if (command instanceof LockCommand.Release) {
                taken.remove(command.name());
            } else if (command instanceof LockCommand.Acquire acquire && !taken.containsKey(command.name())) {
                LockSupport.parkNanos(2_000_000);
                LockCommand.Acquire other = taken.put(command.name(), acquire);
                if (other != null) {
                    super.execute(new LockCommand.Release(other.name(), other.id(), Duration.ZERO, Duration.ZERO));
                }
            }
            return super.execute(command);
        }
    }

    /** A lease ends after half its length. */
    static class ExpiresEarly extends MutatedSpace {
        @Override
        Instant endOf(Instant now, Duration length) {
            return now.plus(length.dividedBy(2));
        }

        @Override
        Duration remaining(MemoryLease lease, Instant now) {
            return super.remaining(lease, now).plus(lease.length().dividedBy(2));
        }
    }

    static class NeverExpires extends MutatedSpace {
        private static final Duration FOR_EVER = Duration.ofDays(1000);

        @Override
        Instant endOf(Instant now, Duration length) {
            return now.plus(length).plus(FOR_EVER);
        }

        @Override
        Duration remaining(MemoryLease lease, Instant now) {
            return super.remaining(lease, now).minus(FOR_EVER);
        }
    }

    static class FullLengthOnRepeat extends MutatedSpace {
        @Override
        Duration remaining(MemoryLease lease, Instant now) {
            return lease.length();
        }
    }

    /** An acquire with the owner text of the holder gets its lease. */
    static class ComparesOwners extends MutatedSpace {
        private final Map<AcquisitionId, String> owners = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            MemoryLease lease = lease(lock);
            if (lease != null && command.owner().equals(owners.get(lease.id()))) {
                return new LockReply.Granted(lease.token(), remaining(lease, now));
            }
            owners.put(command.id(), command.owner());
            return super.acquire(command, lock, now);
        }
    }

    static class RepeatIsBusy extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return lease(lock) != null ? new LockReply.Busy(Duration.ofMillis(5)) : super.acquire(command, lock, now);
        }
    }

    static class ExpiredIdGetsItsGrantBack extends ExpiredLeases {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            MemoryLease old = expired.remove(command.id());
            if (old != null && lease(lock) == null) {
                hold(lock, old.renewed(command.lease(), now.plus(command.lease())));
            }
            return super.acquire(command, lock, now);
        }
    }

    static class ForgetsGrantsOnRestart extends MutatedSpace {
        private final Map<LockName, AcquisitionId> asked = new ConcurrentHashMap<>();

        @Override
        LockReply execute(LockCommand command) {
            if (command instanceof LockCommand.Acquire) {
                asked.put(command.name(), command.id());
            }
            return super.execute(command);
        }

        @Override
        void restarted() {
            asked.forEach((name, id) -> super.execute(new LockCommand.Release(name, id, Duration.ZERO, Duration.ZERO)));
        }
    }

    static class KeepsIdleNames extends MutatedSpace {
        private final Set<LockName> seen = new HashSet<>();

        @Override
        LockReply execute(LockCommand command) {
            synchronized (seen) {
                seen.add(command.name());
            }
            return super.execute(command);
        }

        @Override
        public int namesInUse() {
            synchronized (seen) {
                return seen.size();
            }
        }
    }

    /** A repeated acquire extends the lease. */
    static class RepeatExtends extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (lease(lock) != null && lease(lock).id().equals(command.id())) {
                hold(lock, lease(lock).renewed(command.lease(), now.plus(command.lease())));
            }
            return reply;
        }
    }

    /** A repeated acquire sets the end of the lease. */
    static class RepeatShortens extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            MemoryLease lease = lease(lock);
            if (lease != null
                    && lease.id().equals(command.id())
                    && command.lease().compareTo(lease.length()) < 0) {
                hold(lock, lease.lasting(command.lease(), now.plus(command.lease())));
            }
            return reply;
        }
    }

    /** Counts in milliseconds, and refuses zero. */
    static class FailsOnNanos extends MutatedSpace {
        @Override
        Instant endOf(Instant now, Duration length) {
            if (length.toMillis() == 0) {
                throw new IllegalStateException("invalid expire time");
            }
            return super.endOf(now, length);
        }
    }

    /** Counts milliseconds in 31 bits. */
    static class Overflows extends MutatedSpace {
        @Override
        Instant endOf(Instant now, Duration length) {
            return now.plusMillis(length.toMillis() % (1L << 31));
        }
    }

    static class BusyForAnHour extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            return reply instanceof LockReply.Busy ? new LockReply.Busy(Duration.ofHours(1)) : reply;
        }
    }

    /** Prunes the waiters of held locks. */
    static class PrunesWaiters extends MutatedSpace {
        private volatile Instant prunedAt = Instant.MIN;

        @Override
        void pruned() {
            prunedAt = clock().instant();
        }

        @Override
        void expireLeases(LockRecord lock, Instant now) {
            super.expireLeases(lock, now);
            if (lease(lock) != null) {
                lock.queue.places().stream()
                        .filter(place -> place.seen().isBefore(prunedAt))
                        .forEach(place -> lock.queue.withdraw(place.id()));
            }
        }
    }

    /** Prunes tombstones. */
    static class PrunesTooMuch extends MutatedSpace {
        private volatile boolean pruned;

        @Override
        void pruned() {
            pruned = true;
        }

        @Override
        void expireLeases(LockRecord lock, Instant now) {
            super.expireLeases(lock, now);
            if (pruned) {
                lock.tombstones.clear();
            }
        }
    }
}
