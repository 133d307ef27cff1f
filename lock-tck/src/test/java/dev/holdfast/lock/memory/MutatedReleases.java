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

/** Mutants with wrong releases, minimum holds or tombstones. */
final class MutatedReleases {

    private MutatedReleases() {}

    static class IgnoresMinimum extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), Duration.ZERO, step.remember()), lock, now);
        }
    }

    /** The minimum hold counts from the release. */
    static class KeepsFromRelease extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            Answer answer = super.release(step, lock, now);
            if (holds && !step.keep().isZero()) {
                lock.keptUntil = now.plus(step.keep());
            }
            return answer;
        }
    }

    static class KeepsForEver extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Duration keep = step.keep().isZero() ? step.keep() : Duration.ofDays(1000);
            return super.release(new Step.Release(step.name(), step.id(), keep, step.remember()), lock, now);
        }
    }

    /** A release with a minimum hold only shortens the lease. */
    static class KeptIdLivesOn extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            if (lease == null || !lease.id().equals(step.id()) || step.keep().isZero()) {
                return super.release(step, lock, now);
            }
            Instant until = lease.since().plus(step.keep());
            lock.lease = new MemoryLease(lease.id(), lease.owner(), lease.token(), lease.since(), step.keep(), until);
            expireLease(lock, now);
            return new Answer.Released(true);
        }
    }

    /** A release by any id ends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Step.Release own = lock.lease == null
                    ? step
                    : new Step.Release(step.name(), lock.lease.id(), step.keep(), step.remember());
            return super.release(own, lock, now);
        }
    }

    static class AlwaysWasHeld extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            super.release(step, lock, now);
            return new Answer.Released(true);
        }
    }

    static class WritesNoTombstones extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), Duration.ZERO), lock, now);
        }
    }

    /** Only the latest released id has a tombstone. */
    static class KeepsOneTombstone extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            lock.tombstones.clear();
            return super.release(step, lock, now);
        }
    }

    /** Only an id that held the lock gets a tombstone. */
    static class TombstonesForHoldersOnly extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            Duration remember = holds ? step.remember() : Duration.ZERO;
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), remember), lock, now);
        }
    }

    /** A release without a tombstone deletes the tombstone of its id. */
    static class SecondForgets extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            lock.tombstones.remove(step.id());
            return super.release(step, lock, now);
        }
    }

    /** Grants a free lock to ids that were refused, without another acquire. */
    static class GrantsWithoutAnAcquire extends MutatedSpace {
        private final Map<LockName, Step.Acquire> waiting = new HashMap<>();
        private final Set<AcquisitionId> unasked = new HashSet<>();

        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            unasked.remove(step.id());
            Answer answer = super.acquire(step, lock, now);
            if (answer instanceof Answer.Busy || answer instanceof Answer.Waiting) {
                waiting.put(step.name(), step);
            } else {
                waiting.remove(step.name());
            }
            return answer;
        }

        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (unasked.contains(step.id())) {
                return new Answer.Released(false);
            }
            Answer answer = super.release(step, lock, now);
            Step.Acquire next = waiting.get(step.name());
            if (answer.equals(new Answer.Released(true)) && next != null) {
                acquire(next, lock, now);
                unasked.add(next.id());
            }
            return answer;
        }
    }

    /** All tombstones last equally long. */
    static class TombstonesLastForAMoment extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            Duration most = Duration.ofMillis(500);
            Duration remember = step.remember().compareTo(most) < 0 ? step.remember() : most;
            return super.release(new Step.Release(step.name(), step.id(), step.keep(), remember), lock, now);
        }
    }

    /** The latest end of a tombstone counts, even if it is earlier. */
    static class LatestTombstoneCounts extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (!step.remember().isZero()) {
                lock.tombstones.remove(step.id());
            }
            return super.release(step, lock, now);
        }
    }

    /** A second release ends the minimum hold. */
    static class SecondEndsTheMinimum extends MutatedSpace {
        private final Set<AcquisitionId> kept = new HashSet<>();

        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            if (!step.keep().isZero() && !kept.add(step.id())) {
                lock.keptUntil = Instant.MIN;
                lock.freeSince = now;
            }
            return super.release(step, lock, now);
        }
    }

    /** A release with a minimum hold keeps a lock that its id did not hold. */
    static class AnyIdKeeps extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean isFree = lock.lease == null && !now.isBefore(lock.keptUntil);
            Answer answer = super.release(step, lock, now);
            if (isFree && !step.keep().isZero()) {
                lock.keptUntil = now.plus(step.keep());
            }
            return answer;
        }
    }

    /** Checks the holder before the tombstones. */
    static class BusyBeforeGone extends MutatedSpace {
        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            return answer instanceof Answer.Gone && lock.lease != null ? new Answer.Busy(Duration.ofMillis(5)) : answer;
        }
    }

    /** The release of a waiter replies wasHeld. */
    static class WithdrawalWasHeld extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            boolean waits = lock.queue.ids().contains(step.id());
            Answer answer = super.release(step, lock, now);
            return waits ? new Answer.Released(true) : answer;
        }
    }

    /** The release of an id that is not queued removes the first waiter. */
    static class AnyIdWithdraws extends MutatedSpace {
        @Override
        Answer release(Step.Release step, LockRecord lock, Instant now) {
            AcquisitionId first = lock.queue.first();
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            if (first != null && !holds && !lock.queue.ids().contains(step.id())) {
                lock.queue.withdraw(first);
            }
            return super.release(step, lock, now);
        }
    }
}
