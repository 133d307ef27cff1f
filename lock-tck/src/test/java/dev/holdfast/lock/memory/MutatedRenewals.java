package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Mutants with wrong renewals. */
final class MutatedRenewals {

    private MutatedRenewals() {}

    /** Grants a renewal, but does not extend the lease. */
    static class Nothing extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            MemoryLease before = lock.lease;
            LockReply answer = super.renew(step, lock, now);
            lock.lease = before;
            return answer;
        }
    }

    /** Revives an expired lease of a free lock. */
    static class Resurrects extends ExpiredLeases {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            MemoryLease old = expired.get(step.id());
            if (lock.lease == null && old != null) {
                lock.lease = old;
            }
            return super.renew(step, lock, now);
        }
    }

    /** A renewal of a free lock takes it. */
    static class Inserts extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            if (lock.lease == null) {
                return acquire(
                        new LockCommand.Acquire(step.name(), step.id(), step.lease(), false, 0, "renewed"), lock, now);
            }
            return super.renew(step, lock, now);
        }
    }

    /** A renewal by any id extends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            if (lock.lease == null) {
                return super.renew(step, lock, now);
            }
            return super.renew(new LockCommand.Renew(step.name(), lock.lease.id(), step.lease()), lock, now);
        }
    }

    /** A renewal sets the end, even if it is earlier. */
    static class Shortens extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            LockReply answer = super.renew(step, lock, now);
            if (!(answer instanceof LockReply.Granted granted)) {
                return answer;
            }
            MemoryLease lease = lock.lease;
            lock.lease = new MemoryLease(
                    lease.id(), lease.owner(), lease.token(), lease.since(), step.lease(), now.plus(step.lease()));
            return new LockReply.Granted(granted.token(), step.lease());
        }
    }

    /** Grants the renewal of every id that ever held the lock. */
    static class Whatever extends MutatedSpace {
        private final Map<AcquisitionId, LockReply> granted = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire step, LockRecord lock, Instant now) {
            LockReply answer = super.acquire(step, lock, now);
            if (answer instanceof LockReply.Granted) {
                granted.put(step.id(), answer);
            }
            return answer;
        }

        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            LockReply answer = super.renew(step, lock, now);
            return answer instanceof LockReply.Gone ? granted.getOrDefault(step.id(), answer) : answer;
        }
    }

    /** Replies with the full length, and extends the lease by half of it. */
    static class ExpiresEarly extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            LockReply answer = super.renew(
                    new LockCommand.Renew(step.name(), step.id(), step.lease().dividedBy(2)), lock, now);
            return answer instanceof LockReply.Granted granted
                    ? new LockReply.Granted(granted.token(), step.lease())
                    : answer;
        }
    }

    /** A renewal counts from the end of the lease instead of from now. */
    static class Adds extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            LockReply answer = super.renew(step, lock, now);
            if (answer instanceof LockReply.Granted) {
                lock.lease = lock.lease.renewed(step.lease(), lock.lease.until().plus(step.lease()));
            }
            return answer;
        }
    }

    /** The second renewal of a lease is Gone. */
    static class Once extends MutatedSpace {
        private final Set<AcquisitionId> renewed = new HashSet<>();

        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            return renewed.add(step.id()) ? super.renew(step, lock, now) : new LockReply.Gone();
        }
    }

    /** The renewal of a waiter removes it from the queue. */
    static class Withdraws extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew step, LockRecord lock, Instant now) {
            lock.queue.withdraw(step.id());
            return super.renew(step, lock, now);
        }
    }
}
