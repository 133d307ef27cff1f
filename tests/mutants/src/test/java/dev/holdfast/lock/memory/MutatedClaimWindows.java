package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Mutants with wrong claim windows. */
final class MutatedClaimWindows {

    private MutatedClaimWindows() {}

    /** An acquire for a share counts the claim window of the first waiter from when the lock became free. */
    static MutatedSpace countFromTheReleaseForShares() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private Instant free = Instant.MAX;

            @Override
            public void openClaimWindows(TakenPermits taken, Instant since) {
                super.openClaimWindows(taken, since);
                if (taken.permits() > 0) {
                    free = Instant.MAX;
                } else if (free.equals(Instant.MAX)) {
                    free = since;
                }
            }

            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                boolean isOver = !free.equals(Instant.MAX) && !now.isBefore(free.plus(QueueTimes.CLAIM_WINDOW));
                if (!share.isExclusive() && isOver && first() != null && !id.equals(first())) {
                    withdraw(first());
                }
                return super.admit(id, share, taken, now);
            }
        });
    }

    /** A free lock is granted to an id that is not queued. */
    static MutatedSpace letsNewcomersOvertake() {
        return MutatedQueues.alsoAdmit((queue, id, now) -> !queue.ids().contains(id));
    }

    /** A free lock is granted to any waiter. */
    static MutatedSpace ignoresClaimWindows() {
        return MutatedQueues.alsoAdmit((queue, id, now) -> queue.ids().contains(id));
    }

    /** The claim window lasts as long as the place in the queue. */
    static MutatedSpace lengthensClaimWindows() {
        return MutatedQueues.passOverNone((queue, id, now) -> false);
    }

    /** An acquire that does not queue ignores the queue. */
    static class LetsTriersOvertake extends MutatedSpace {
        private boolean tries;

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            tries = !command.queue();
            return super.acquire(command, lock, now);
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                    return (tries && taken.plus(share).areCompatible()) || super.admit(id, share, taken, now);
                }
            };
        }
    }

    /** An expired lock is granted regardless of the queue. */
    static class ExpiredIsForAnyone extends MutatedSpace {
        private static final class Bypassed extends StoreQueue {
            private boolean expired;

            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                return (expired && taken.plus(share).areCompatible()) || super.admit(id, share, taken, now);
            }

            @Override
            public void removeGranted(AcquisitionId id) {
                expired = false;
                super.removeGranted(id);
            }
        }

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            super.expire(lease, lock);
            ((Bypassed) lock.queue).expired |= lease.isHeld();
        }

        @Override
        StoreQueue newQueue() {
            return new Bypassed();
        }
    }

    /** The claim window of each waiter counts from when the lock became free. */
    static MutatedSpace oneClaimWindowForAll() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private Instant free = Instant.MAX;

            @Override
            public void openClaimWindows(TakenPermits taken, Instant since) {
                if (taken.permits() > 0) {
                    free = Instant.MAX;
                } else if (free.equals(Instant.MAX)) {
                    free = since;
                }
                super.openClaimWindows(taken, since);
            }

            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                return super.admit(id, share, taken, now)
                        || (ids().contains(id)
                                && !free.equals(Instant.MAX)
                                && !now.isBefore(free.plus(QueueTimes.CLAIM_WINDOW)));
            }
        });
    }

    /** The release of an id that is not the first waiter begins the claim window of that one once more. */
    static MutatedSpace anyReleaseBeginsAClaimWindow() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public void withdraw(AcquisitionId id) {
                boolean isFirst = id.equals(first());
                super.withdraw(id);
                if (!isFirst) {
                    MutatedQueues.beginClaimWindowsAnew(this);
                }
            }
        });
    }

    /** A waiter that was passed over stays the first. */
    static MutatedSpace passedOverStaysFirst() {
        return MutatedQueues.passOverNone((queue, id, now) ->
                queue.claimWindows().get(0).isOver(now) && queue.ids().contains(id));
    }

    /** The claim window begins with the release, before the end of the minimum hold. */
    static class OpensClaimWindowsAtTheRelease extends MutatedSpace {
        private final Map<AcquisitionId, Instant> released = new HashMap<>();

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            if (reply.equals(new LockReply.Released(true))) {
                released.put(command.id(), now);
            }
            return reply;
        }

        @Override
        Instant freeSince(MemoryLease expired, LockRecord lock) {
            return released.getOrDefault(expired.id(), super.freeSince(expired, lock));
        }
    }

    /** A lock whose minimum hold ended is granted regardless of the queue. */
    static class KeptIsForAnyone extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            ((ExpiredIsForAnyone.Bypassed) lock.queue).expired |= isKept(lock);
            return reply;
        }

        @Override
        StoreQueue newQueue() {
            return new ExpiredIsForAnyone.Bypassed();
        }
    }
}
