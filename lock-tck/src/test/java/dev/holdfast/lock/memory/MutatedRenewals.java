package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
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
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            MemoryLease before = lock.lease;
            Answer answer = super.renew(step, lock, now);
            lock.lease = before;
            return answer;
        }
    }

    /** Revives an expired lease of a free lock. */
    static class Resurrects extends ExpiredLeases {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
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
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            if (lock.lease == null) {
                return acquire(new Step.Acquire(step.name(), step.id(), step.length(), false, 0, "renewed"), lock, now);
            }
            return super.renew(step, lock, now);
        }
    }

    /** A renewal by any id extends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            if (lock.lease == null) {
                return super.renew(step, lock, now);
            }
            return super.renew(new Step.Renew(step.name(), lock.lease.id(), step.length()), lock, now);
        }
    }

    /** A renewal sets the end, even if it is earlier. */
    static class Shortens extends MutatedSpace {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            Answer answer = super.renew(step, lock, now);
            if (!(answer instanceof Answer.Granted granted)) {
                return answer;
            }
            MemoryLease lease = lock.lease;
            lock.lease = new MemoryLease(
                    lease.id(), lease.owner(), lease.token(), lease.since(), step.length(), now.plus(step.length()));
            return new Answer.Granted(granted.token(), step.length());
        }
    }

    /** Grants the renewal of every id that ever held the lock. */
    static class Whatever extends MutatedSpace {
        private final Map<AcquisitionId, Answer> granted = new HashMap<>();

        @Override
        Answer acquire(Step.Acquire step, LockRecord lock, Instant now) {
            Answer answer = super.acquire(step, lock, now);
            if (answer instanceof Answer.Granted) {
                granted.put(step.id(), answer);
            }
            return answer;
        }

        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            Answer answer = super.renew(step, lock, now);
            return answer instanceof Answer.Gone ? granted.getOrDefault(step.id(), answer) : answer;
        }
    }

    /** Replies with the full length, and extends the lease by half of it. */
    static class ExpiresEarly extends MutatedSpace {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            Answer answer = super.renew(
                    new Step.Renew(step.name(), step.id(), step.length().dividedBy(2)), lock, now);
            return answer instanceof Answer.Granted granted
                    ? new Answer.Granted(granted.token(), step.length())
                    : answer;
        }
    }

    /** A renewal counts from the end of the lease instead of from now. */
    static class Adds extends MutatedSpace {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            Answer answer = super.renew(step, lock, now);
            if (answer instanceof Answer.Granted) {
                lock.lease =
                        lock.lease.renewed(step.length(), lock.lease.until().plus(step.length()));
            }
            return answer;
        }
    }

    /** The second renewal of a lease is Gone. */
    static class Once extends MutatedSpace {
        private final Set<AcquisitionId> renewed = new HashSet<>();

        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            return renewed.add(step.id()) ? super.renew(step, lock, now) : new Answer.Gone();
        }
    }

    /** The renewal of a waiter removes it from the queue. */
    static class Withdraws extends MutatedSpace {
        @Override
        Answer renew(Step.Renew step, LockRecord lock, Instant now) {
            lock.queue.withdraw(step.id());
            return super.renew(step, lock, now);
        }
    }
}
