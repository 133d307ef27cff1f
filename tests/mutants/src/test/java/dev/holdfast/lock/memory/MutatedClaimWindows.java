package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Instant;

/** Mutants with wrong claim windows. */
final class MutatedClaimWindows {

    private MutatedClaimWindows() {}

    /** A free lock is granted to an id that is not queued. */
    static MutatedSpace letsNewcomersOvertake() {
        return MutatedQueues.alsoAdmit(
                (queue, id, freeSince, now) -> !queue.ids().contains(id));
    }

    /** A free lock is granted to any waiter. */
    static MutatedSpace ignoresClaimWindows() {
        return MutatedQueues.alsoAdmit(
                (queue, id, freeSince, now) -> queue.ids().contains(id));
    }

    /** The claim window lasts as long as the place in the queue. */
    static MutatedSpace lengthensClaimWindows() {
        return MutatedQueues.passOverNone((queue, id, freeSince, now) -> false);
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
                public boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
                    return tries || super.admit(id, freeSince, now);
                }
            };
        }
    }

    /** An expired lock is granted regardless of the queue. */
    static class ExpiredIsForAnyone extends MutatedSpace {
        private static final class Bypassed extends StoreQueue {
            private boolean expired;

            @Override
            public boolean admit(AcquisitionId id, Instant freeSince, Instant now) {
                return expired || super.admit(id, freeSince, now);
            }

            @Override
            public void removeGranted(AcquisitionId id) {
                expired = false;
                super.removeGranted(id);
            }
        }

        @Override
        void expireLease(LockRecord lock, Instant now) {
            boolean held = lock.lease != null;
            super.expireLease(lock, now);
            ((Bypassed) lock.queue).expired |= held && lock.lease == null;
        }

        @Override
        StoreQueue newQueue() {
            return new Bypassed();
        }
    }

    /** The claim window of each waiter counts from when the lock became free. */
    static MutatedSpace oneClaimWindowForAll() {
        return MutatedQueues.alsoAdmit(
                (queue, id, freeSince, now) -> !now.isBefore(freeSince.plus(QueueTimes.CLAIM_WINDOW))
                        && queue.ids().contains(id));
    }

    /** A waiter that was passed over stays the first. */
    static MutatedSpace passedOverStaysFirst() {
        return MutatedQueues.passOverNone((queue, id, freeSince, now) ->
                queue.claimWindow().isOver(now) && queue.ids().contains(id));
    }

    /** The claim window begins with the release, before the end of the minimum hold. */
    static class OpensClaimWindowsAtTheRelease extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            if (reply.equals(new LockReply.Released(true))) {
                lock.freeSince = now;
            }
            return reply;
        }
    }

    /** A lock whose minimum hold ended is granted regardless of the queue. */
    static class KeptIsForAnyone extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            ((ExpiredIsForAnyone.Bypassed) lock.queue).expired |= now.isBefore(lock.keptUntil);
            return reply;
        }

        @Override
        StoreQueue newQueue() {
            return new ExpiredIsForAnyone.Bypassed();
        }
    }
}
