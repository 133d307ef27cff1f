package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
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
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(withMinimumHold(command, Duration.ZERO), lock, now);
        }
    }

    /** The minimum hold counts from the release. */
    static class KeepsFromRelease extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean holds = lease(lock) != null && lease(lock).id().equals(command.id());
            LockReply reply = super.release(command, lock, now);
            if (holds && !command.minimumHold().isZero()) {
                keep(lock, now.plus(command.minimumHold()));
            }
            return reply;
        }
    }

    static class KeepsForEver extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            Duration minimumHold = command.minimumHold().isZero() ? command.minimumHold() : Duration.ofDays(1000);
            return super.release(withMinimumHold(command, minimumHold), lock, now);
        }
    }

    /** A release with a minimum hold only shortens the lease. */
    static class KeptIdLivesOn extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            MemoryLease lease = lease(lock);
            if (lease == null
                    || !lease.id().equals(command.id())
                    || command.minimumHold().isZero()) {
                return super.release(command, lock, now);
            }
            Instant until = lease.since().plus(command.minimumHold());
            hold(lock, lease.lasting(command.minimumHold(), until));
            expireLeases(lock, now);
            return new LockReply.Released(true);
        }
    }

    /** An id that released a share with a minimum hold counts as a new one. */
    static class ForgetsKeptShares extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            if (!command.share().isExclusive() && command.tombstone().isZero()) {
                lock.tombstones.remove(command.id());
            }
            return reply;
        }
    }

    /** A release by any id ends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockCommand.Release own = lease(lock) == null
                    ? command
                    : new LockCommand.Release(
                            command.name(), lease(lock).id(), command.minimumHold(), command.tombstone());
            return super.release(own, lock, now);
        }
    }

    /** Replies to the release of an expired share as if its lease lasted. */
    static class ExpiredSharesWereHeld extends MutatedSpace {
        private final Set<AcquisitionId> expired = new HashSet<>();

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            super.expire(lease, lock);
            if (lease.isHeld() && !lease.share().isExclusive()) {
                expired.add(lease.id());
            }
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            return expired.remove(command.id()) ? new LockReply.Released(true) : reply;
        }
    }

    static class AlwaysWasHeld extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            super.release(command, lock, now);
            return new LockReply.Released(true);
        }
    }

    static class WritesNoTombstones extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(withTombstone(command, Duration.ZERO), lock, now);
        }
    }

    /** Only the latest released id has a tombstone. */
    static class KeepsOneTombstone extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            lock.tombstones.clear();
            return super.release(command, lock, now);
        }
    }

    /** Only an id that held the lock gets a tombstone. */
    static class TombstonesForHoldersOnly extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean holds = lease(lock) != null && lease(lock).id().equals(command.id());
            Duration tombstone = holds ? command.tombstone() : Duration.ZERO;
            return super.release(withTombstone(command, tombstone), lock, now);
        }
    }

    /** A release without a tombstone deletes the tombstone of its id. */
    static class SecondForgets extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            lock.tombstones.remove(command.id());
            return super.release(command, lock, now);
        }
    }

    /** Grants a free lock to ids that were refused, without another acquire. */
    static class GrantsWithoutAnAcquire extends MutatedSpace {
        private final Map<LockName, LockCommand.Acquire> waiting = new HashMap<>();
        private final Set<AcquisitionId> unasked = new HashSet<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            unasked.remove(command.id());
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued) {
                waiting.put(command.name(), command);
            } else {
                waiting.remove(command.name());
            }
            return reply;
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (unasked.contains(command.id())) {
                return new LockReply.Released(false);
            }
            LockReply reply = super.release(command, lock, now);
            LockCommand.Acquire next = waiting.get(command.name());
            if (reply.equals(new LockReply.Released(true)) && next != null) {
                acquire(next, lock, now);
                unasked.add(next.id());
            }
            return reply;
        }
    }

    /** All tombstones last equally long. */
    static class TombstonesLastForAMoment extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            Duration tombstone = Durations.min(command.tombstone(), Duration.ofMillis(500));
            return super.release(withTombstone(command, tombstone), lock, now);
        }
    }

    /** The latest end of a tombstone counts, even if it is earlier. */
    static class LatestTombstoneCounts extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (!command.tombstone().isZero()) {
                lock.tombstones.remove(command.id());
            }
            return super.release(command, lock, now);
        }
    }

    /** A second release ends the minimum hold. */
    static class SecondEndsTheMinimum extends MutatedSpace {
        private final Set<AcquisitionId> kept = new HashSet<>();

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (!command.minimumHold().isZero() && !kept.add(command.id())) {
                keep(lock, Instant.MIN);
            }
            return super.release(command, lock, now);
        }
    }

    /** A release with a minimum hold keeps a lock that its id did not hold. */
    static class AnyIdKeeps extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean isFree = lease(lock) == null && !isKept(lock);
            LockReply reply = super.release(command, lock, now);
            if (isFree && !command.minimumHold().isZero()) {
                keep(lock, now.plus(command.minimumHold()));
            }
            return reply;
        }
    }

    /** Checks the holder before the tombstones. */
    static class BusyBeforeGone extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            return reply instanceof LockReply.Gone && lease(lock) != null
                    ? new LockReply.Busy(Duration.ofMillis(5))
                    : reply;
        }
    }

    /** Checks whether a minimum hold keeps the lock before the tombstones. */
    static class KeptBeforeGone extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            return reply instanceof LockReply.Gone && isKept(lock) ? new LockReply.Busy(Duration.ofMillis(5)) : reply;
        }
    }

    /** Checks whether the lock is reserved for a waiter before the tombstones. */
    static class ReservedBeforeGone extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            return reply instanceof LockReply.Gone && lock.leases.isEmpty() && lock.queue.first() != null
                    ? new LockReply.Busy(Duration.ofMillis(5))
                    : reply;
        }
    }

    /** The release of an id that neither holds the lock nor waits for it is Gone. */
    static class StrangersAreGone extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean isKnown = lock.queue.ids().contains(command.id())
                    || (lease(lock) != null && lease(lock).id().equals(command.id()));
            LockReply reply = super.release(command, lock, now);
            return isKnown ? reply : new LockReply.Gone();
        }
    }

    /** The release of a waiter replies wasHeld. */
    static class WithdrawalWasHeld extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean waits = lock.queue.ids().contains(command.id());
            LockReply reply = super.release(command, lock, now);
            return waits ? new LockReply.Released(true) : reply;
        }
    }

    /** The release of an id that is not queued removes the first waiter. */
    static class AnyIdWithdraws extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            AcquisitionId first = lock.queue.first();
            boolean holds = lease(lock) != null && lease(lock).id().equals(command.id());
            if (first != null && !holds && !lock.queue.ids().contains(command.id())) {
                lock.queue.withdraw(first);
            }
            return super.release(command, lock, now);
        }
    }
}
