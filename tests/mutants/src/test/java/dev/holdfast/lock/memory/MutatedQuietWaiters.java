package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Mutants that treat a waiter well only if it asks all the time, or treat one that is dead too well. */
final class MutatedQuietWaiters {

    private MutatedQuietWaiters() {}

    /** Keeps beside the lock when it will be free for the first waiter, and writes that with each refusal. */
    private abstract static class FreeTimes extends MutatedSpace {
        final Map<LockRecord, Instant> written = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Queued && !lock.leases.isEmpty()) {
                written.put(lock, lock.leases.get(0).until());
            }
            return reply;
        }

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (lease(lock) != null) {
                written.computeIfPresent(lock, (any, before) -> endAfterRenewal(before, lease(lock)));
            }
            return reply;
        }

        Instant endAfterRenewal(Instant before, MemoryLease lease) {
            return lease.until();
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            if (isKept(lock)) {
                written.put(lock, endAfterRelease(lock, now));
            } else {
                written.remove(lock);
            }
            return reply;
        }

        Instant endAfterRelease(LockRecord lock, Instant now) {
            return keptUntil(lock);
        }

        @Override
        Instant freeSince(MemoryLease expired, LockRecord lock) {
            Instant free = written.getOrDefault(lock, Instant.MAX);
            return free.isBefore(expired.until()) ? free : expired.until();
        }
    }

    /** The grant to a waiter leaves the lock reserved for the next one from then on. */
    static class ClaimsReserveForTheNext extends FreeTimes {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean waited = lock.leases.isEmpty() && lock.queue.ids().contains(command.id());
            LockReply reply = super.acquire(command, lock, now);
            if (waited && reply instanceof LockReply.Granted) {
                written.put(lock, now);
            }
            return reply;
        }
    }

    /** A renewal does not write that the lock will be free later. */
    static class RenewalsReserveNoLater extends FreeTimes {
        @Override
        Instant endAfterRenewal(Instant before, MemoryLease lease) {
            return before;
        }
    }

    /** A minimum hold counts as a part of the claim window, unless a waiter asks meanwhile. */
    static class MinimumHoldsUseUpTheWindow extends FreeTimes {
        @Override
        Instant endAfterRelease(LockRecord lock, Instant now) {
            return now;
        }
    }

    /** The first waiter is passed over by its own acquire as well. */
    static MutatedSpace lateClaimsPassThemselvesOver() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                openClaimWindows(taken, now);
                boolean isOver =
                        claimWindows().stream().anyMatch(window -> window.id().equals(id) && window.isOver(now));
                if (isOver) {
                    withdraw(id);
                }
                return super.admit(id, share, taken, now);
            }
        });
    }

    /** A release passes over the first waiter as well, once its claim window is over. */
    static class ReleasesPassOver extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            lock.queue.claimWindows().stream()
                    .filter(window -> window.isOver(now))
                    .forEach(window -> lock.queue.withdraw(window.id()));
            return reply;
        }
    }

    /** A waiter that asks again after its place expired gets its old place. */
    static MutatedSpace deadWaitersKeepTheirPlace() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private record Numbered(int number, Place place) {}

            private final Map<AcquisitionId, Numbered> places = new HashMap<>();

            @Override
            public void join(AcquisitionId id, String owner, Share share, Instant now) {
                int number = places.containsKey(id) ? places.get(id).number() : places.size();
                places.put(id, new Numbered(number, new Place(id, owner, share, now)));
                super.join(id, owner, share, now);
                List<AcquisitionId> later = ids().stream()
                        .filter(other -> places.get(other).number() > number)
                        .sorted(Comparator.comparing(other -> places.get(other).number()))
                        .toList();
                for (AcquisitionId other : later) {
                    super.withdraw(other);
                    Place place = places.get(other).place();
                    super.join(other, place.owner(), place.share(), place.seen());
                }
            }
        });
    }

    /** Where the first waiter died while the lock was held, its claim window follows the end of the lease. */
    static class ReservesForTheDead extends MutatedSpace {
        private static final class Queue extends StoreQueue {
            private boolean firstDied;
            private Instant reservedUntil = Instant.MIN;

            @Override
            public void dropExpired(Instant now) {
                AcquisitionId before = first();
                super.dropExpired(now);
                firstDied |= before != null && !Objects.equals(before, first());
            }

            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                return super.admit(id, share, taken, now) && !now.isBefore(reservedUntil);
            }
        }

        @Override
        StoreQueue newQueue() {
            return new Queue();
        }

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            super.expire(lease, lock);
            Queue queue = (Queue) lock.queue;
            if (lease.isHeld() && queue.firstDied) {
                queue.reservedUntil = lease.until().plus(QueueTimes.CLAIM_WINDOW);
            }
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            ((Queue) lock.queue).firstDied = false;
            return reply;
        }
    }

    /** A waiter that is passed over takes the claim windows of those behind it along: they begin once more. */
    static MutatedSpace missedWindowsBeginOthersAnew() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                openClaimWindows(taken, now);
                ClaimWindow first =
                        claimWindows().isEmpty() ? null : claimWindows().get(0);
                if (first != null && first.isOver(now) && !first.id().equals(id)) {
                    withdraw(first.id());
                    MutatedQueues.beginClaimWindowsAnew(this);
                }
                return super.admit(id, share, taken, now);
            }
        });
    }

    /** Finds out which waiters for shares are due when the next command comes, not when a lease ended. */
    static class SharesAreDueWhenAsked extends MutatedSpace {
        private boolean isExpiring;

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            isExpiring = true;
            super.expire(lease, lock);
            isExpiring = false;
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public void openClaimWindows(TakenPermits taken, Instant since) {
                    boolean hasShares =
                            places().stream().anyMatch(place -> !place.share().isExclusive());
                    if (!isExpiring || !hasShares) {
                        super.openClaimWindows(taken, since);
                    }
                }
            };
        }
    }

    /** The claim windows of all waiters for a lock count from when its first share ended. */
    static class SharesAreDueAfterTheFirst extends MutatedSpace {
        private final Map<LockRecord, Instant> first = new HashMap<>();

        @Override
        Instant freeSince(MemoryLease expired, LockRecord lock) {
            Instant since = first.computeIfAbsent(lock, any -> super.freeSince(expired, lock));
            if (lock.leases.isEmpty()) {
                first.remove(lock);
            }
            return since;
        }
    }
}
