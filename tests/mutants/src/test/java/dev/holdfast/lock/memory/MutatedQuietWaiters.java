package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
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
            if (reply instanceof LockReply.Queued && lock.lease != null) {
                written.put(lock, lock.lease.until());
            } else if (reply instanceof LockReply.Queued && now.isBefore(lock.keptUntil)) {
                lock.freeSince = lock.keptUntil;
            }
            return reply;
        }

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (lock.lease != null) {
                written.computeIfPresent(lock, (any, before) -> endAfterRenewal(before, lock.lease));
            }
            return reply;
        }

        Instant endAfterRenewal(Instant before, MemoryLease lease) {
            return lease.until();
        }

        @Override
        void expireLease(LockRecord lock, Instant now) {
            boolean wasHeld = lock.lease != null;
            super.expireLease(lock, now);
            Instant free = written.getOrDefault(lock, Instant.MAX);
            if (wasHeld && lock.lease == null && free.isBefore(lock.freeSince)) {
                lock.freeSince = free;
            }
        }
    }

    /** The grant to a waiter leaves the lock reserved for the next one from then on. */
    static class ClaimsReserveForTheNext extends FreeTimes {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean waited = lock.lease == null && lock.queue.ids().contains(command.id());
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
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            if (reply.equals(new LockReply.Released(true))) {
                lock.freeSince = now;
            }
            return reply;
        }
    }

    /** The first waiter is passed over by its own acquire as well. */
    static MutatedSpace lateClaimsPassThemselvesOver() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
                dropExpired(now);
                openClaimWindow(freeSince, now);
                ClaimWindow window = claimWindow();
                if (window != null && window.id().equals(id) && window.isOver(now)) {
                    withdraw(id);
                }
                return super.admit(id, freeSince, now);
            }
        });
    }

    /** A waiter that asks again after its place expired gets its old place. */
    static MutatedSpace deadWaitersKeepTheirPlace() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private record Place(int number, String owner, Instant seen) {}

            private final Map<AcquisitionId, Place> places = new HashMap<>();

            @Override
            public void join(AcquisitionId id, String owner, Instant now) {
                int number = places.containsKey(id) ? places.get(id).number() : places.size();
                places.put(id, new Place(number, owner, now));
                super.join(id, owner, now);
                List<AcquisitionId> later = ids().stream()
                        .filter(other -> places.get(other).number() > number)
                        .sorted(Comparator.comparing(other -> places.get(other).number()))
                        .toList();
                for (AcquisitionId other : later) {
                    super.withdraw(other);
                    super.join(
                            other, places.get(other).owner(), places.get(other).seen());
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
            public boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
                return super.admit(id, freeSince, now) && !now.isBefore(reservedUntil);
            }
        }

        @Override
        StoreQueue newQueue() {
            return new Queue();
        }

        @Override
        void expireLease(LockRecord lock, Instant now) {
            boolean wasHeld = lock.lease != null;
            super.expireLease(lock, now);
            Queue queue = (Queue) lock.queue;
            if (wasHeld && lock.lease == null && queue.firstDied) {
                queue.reservedUntil = lock.freeSince.plus(QueueTimes.CLAIM_WINDOW);
            }
        }

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            ((Queue) lock.queue).firstDied = false;
            return reply;
        }
    }
}
