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

/** Mutants with wrong releases, minimum holds or tombstones. */
final class MutatedReleases {

    private MutatedReleases() {}

    static class IgnoresMinimum extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            return super.release(
                    new LockCommand.Release(step.name(), step.id(), Duration.ZERO, step.tombstone()), lock, now);
        }
    }

    /** The minimum hold counts from the release. */
    static class KeepsFromRelease extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            LockReply answer = super.release(step, lock, now);
            if (holds && !step.minimumHold().isZero()) {
                lock.keptUntil = now.plus(step.minimumHold());
            }
            return answer;
        }
    }

    static class KeepsForEver extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            Duration keep = step.minimumHold().isZero() ? step.minimumHold() : Duration.ofDays(1000);
            return super.release(new LockCommand.Release(step.name(), step.id(), keep, step.tombstone()), lock, now);
        }
    }

    /** A release with a minimum hold only shortens the lease. */
    static class KeptIdLivesOn extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            MemoryLease lease = lock.lease;
            if (lease == null
                    || !lease.id().equals(step.id())
                    || step.minimumHold().isZero()) {
                return super.release(step, lock, now);
            }
            Instant until = lease.since().plus(step.minimumHold());
            lock.lease =
                    new MemoryLease(lease.id(), lease.owner(), lease.token(), lease.since(), step.minimumHold(), until);
            expireLease(lock, now);
            return new LockReply.Released(true);
        }
    }

    /** A release by any id ends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            LockCommand.Release own = lock.lease == null
                    ? step
                    : new LockCommand.Release(step.name(), lock.lease.id(), step.minimumHold(), step.tombstone());
            return super.release(own, lock, now);
        }
    }

    static class AlwaysWasHeld extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            super.release(step, lock, now);
            return new LockReply.Released(true);
        }
    }

    static class WritesNoTombstones extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            return super.release(
                    new LockCommand.Release(step.name(), step.id(), step.minimumHold(), Duration.ZERO), lock, now);
        }
    }

    /** Only the latest released id has a tombstone. */
    static class KeepsOneTombstone extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            lock.tombstones.clear();
            return super.release(step, lock, now);
        }
    }

    /** Only an id that held the lock gets a tombstone. */
    static class TombstonesForHoldersOnly extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            Duration remember = holds ? step.tombstone() : Duration.ZERO;
            return super.release(
                    new LockCommand.Release(step.name(), step.id(), step.minimumHold(), remember), lock, now);
        }
    }

    /** A release without a tombstone deletes the tombstone of its id. */
    static class SecondForgets extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            lock.tombstones.remove(step.id());
            return super.release(step, lock, now);
        }
    }

    /** Grants a free lock to ids that were refused, without another acquire. */
    static class GrantsWithoutAnAcquire extends MutatedSpace {
        private final Map<LockName, LockCommand.Acquire> waiting = new HashMap<>();
        private final Set<AcquisitionId> unasked = new HashSet<>();

        @Override
        LockReply acquire(LockCommand.Acquire step, LockRecord lock, Instant now) {
            unasked.remove(step.id());
            LockReply answer = super.acquire(step, lock, now);
            if (answer instanceof LockReply.Busy || answer instanceof LockReply.Queued) {
                waiting.put(step.name(), step);
            } else {
                waiting.remove(step.name());
            }
            return answer;
        }

        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            if (unasked.contains(step.id())) {
                return new LockReply.Released(false);
            }
            LockReply answer = super.release(step, lock, now);
            LockCommand.Acquire next = waiting.get(step.name());
            if (answer.equals(new LockReply.Released(true)) && next != null) {
                acquire(next, lock, now);
                unasked.add(next.id());
            }
            return answer;
        }
    }

    /** All tombstones last equally long. */
    static class TombstonesLastForAMoment extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            Duration most = Duration.ofMillis(500);
            Duration remember = step.tombstone().compareTo(most) < 0 ? step.tombstone() : most;
            return super.release(
                    new LockCommand.Release(step.name(), step.id(), step.minimumHold(), remember), lock, now);
        }
    }

    /** The latest end of a tombstone counts, even if it is earlier. */
    static class LatestTombstoneCounts extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            if (!step.tombstone().isZero()) {
                lock.tombstones.remove(step.id());
            }
            return super.release(step, lock, now);
        }
    }

    /** A second release ends the minimum hold. */
    static class SecondEndsTheMinimum extends MutatedSpace {
        private final Set<AcquisitionId> kept = new HashSet<>();

        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            if (!step.minimumHold().isZero() && !kept.add(step.id())) {
                lock.keptUntil = Instant.MIN;
                lock.freeSince = now;
            }
            return super.release(step, lock, now);
        }
    }

    /** A release with a minimum hold keeps a lock that its id did not hold. */
    static class AnyIdKeeps extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            boolean isFree = lock.lease == null && !now.isBefore(lock.keptUntil);
            LockReply answer = super.release(step, lock, now);
            if (isFree && !step.minimumHold().isZero()) {
                lock.keptUntil = now.plus(step.minimumHold());
            }
            return answer;
        }
    }

    /** Checks the holder before the tombstones. */
    static class BusyBeforeGone extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire step, LockRecord lock, Instant now) {
            LockReply answer = super.acquire(step, lock, now);
            return answer instanceof LockReply.Gone && lock.lease != null
                    ? new LockReply.Busy(Duration.ofMillis(5))
                    : answer;
        }
    }

    /** The release of a waiter replies wasHeld. */
    static class WithdrawalWasHeld extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            boolean waits = lock.queue.ids().contains(step.id());
            LockReply answer = super.release(step, lock, now);
            return waits ? new LockReply.Released(true) : answer;
        }
    }

    /** The release of an id that is not queued removes the first waiter. */
    static class AnyIdWithdraws extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release step, LockRecord lock, Instant now) {
            AcquisitionId first = lock.queue.first();
            boolean holds = lock.lease != null && lock.lease.id().equals(step.id());
            if (first != null && !holds && !lock.queue.ids().contains(step.id())) {
                lock.queue.withdraw(first);
            }
            return super.release(step, lock, now);
        }
    }
}
