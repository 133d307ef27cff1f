package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
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
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            if (lock.lease != null && !lock.lease.id().equals(step.id())) {
                lock.lease = null;
            }
            return super.acquire(step, lock, now);
        }
    }

    /** Checks that the lock is free, and takes it a little later. */
    static class ChecksThenActs extends MutatedSpace {
        private final Map<LockName, Step.Acquire> taken = new ConcurrentHashMap<>();

        @Override
        Answer execute(Step step) {
            if (step instanceof Step.Release) {
                taken.remove(step.name());
            } else if (step instanceof Step.Acquire acquire && !taken.containsKey(step.name())) {
                LockSupport.parkNanos(2_000_000);
                Step.Acquire other = taken.put(step.name(), acquire);
                if (other != null) {
                    super.execute(new Step.Release(other.name(), other.id(), Duration.ZERO, Duration.ZERO));
                }
            }
            return super.execute(step);
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
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            if (lease != null && step.owner().equals(owners.get(lease.id()))) {
                return new Answer.Granted(lease.token(), remaining(lease, now));
            }
            owners.put(step.id(), step.owner());
            return super.acquire(step, lock, now);
        }
    }

    static class RepeatIsBusy extends MutatedSpace {
        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            return lock.lease != null ? new Answer.Busy(Duration.ofMillis(5)) : super.acquire(step, lock, now);
        }
    }

    static class ExpiredIdGetsItsGrantBack extends ExpiredLeases {
        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            MemoryLease old = expired.remove(step.id());
            if (old != null && lock.lease == null) {
                lock.lease = old.renewed(step.length(), now.plus(step.length()));
            }
            return super.acquire(step, lock, now);
        }
    }

    static class ForgetsGrantsOnRestart extends MutatedSpace {
        private final Map<LockName, AcquisitionId> asked = new ConcurrentHashMap<>();

        @Override
        Answer execute(Step step) {
            if (step instanceof Step.Acquire) {
                asked.put(step.name(), step.id());
            }
            return super.execute(step);
        }

        @Override
        void restarted() {
            asked.forEach((name, id) -> super.execute(new Step.Release(name, id, Duration.ZERO, Duration.ZERO)));
        }
    }

    static class KeepsIdleNames extends MutatedSpace {
        private final Set<LockName> seen = new HashSet<>();

        @Override
        Answer execute(Step step) {
            synchronized (seen) {
                seen.add(step.name());
            }
            return super.execute(step);
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
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            if (lock.lease != null && lock.lease.id().equals(step.id())) {
                lock.lease = lock.lease.renewed(step.length(), now.plus(step.length()));
            }
            return answer;
        }
    }

    /** A repeated acquire sets the end of the lease. */
    static class RepeatShortens extends MutatedSpace {
        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            MemoryLease lease = lock.lease;
            if (lease != null && lease.id().equals(step.id()) && step.length().compareTo(lease.length()) < 0) {
                lock.lease = new MemoryLease(
                        lease.id(),
                        lease.owner(),
                        lease.token(),
                        lease.since(),
                        step.length(),
                        now.plus(step.length()));
            }
            return answer;
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
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            return answer instanceof Answer.Busy ? new Answer.Busy(Duration.ofHours(1)) : answer;
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
        void expireLease(LockRecord lock, Instant now) {
            super.expireLease(lock, now);
            if (pruned) {
                lock.tombstones.clear();
            }
        }
    }
}
