package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
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
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            MemoryLease before = lease(lock);
            LockReply reply = super.renew(command, lock, now);
            hold(lock, before);
            return reply;
        }
    }

    /** Revives an expired lease of a free lock. */
    static class Resurrects extends ExpiredLeases {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            MemoryLease old = expired.get(command.id());
            if (lease(lock) == null && old != null) {
                hold(lock, old);
            }
            return super.renew(command, lock, now);
        }
    }

    /** A renewal of a free lock takes it. */
    static class Inserts extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            if (lease(lock) == null) {
                return acquire(
                        new LockCommand.Acquire(command.name(), command.id(), command.lease(), false, 0, "renewed"),
                        lock,
                        now);
            }
            return super.renew(command, lock, now);
        }
    }

    /** A renewal by any id extends the lease. */
    static class ByName extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            if (lease(lock) == null) {
                return super.renew(command, lock, now);
            }
            return super.renew(new LockCommand.Renew(command.name(), lease(lock).id(), command.lease()), lock, now);
        }
    }

    /** A renewal sets the end, even if it is earlier. */
    static class Shortens extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (!(reply instanceof LockReply.Granted granted)) {
                return reply;
            }
            hold(lock, lease(lock).lasting(command.lease(), now.plus(command.lease())));
            return new LockReply.Granted(granted.token(), command.lease());
        }
    }

    /** Grants the renewal of every id that ever held the lock. */
    static class Whatever extends MutatedSpace {
        private final Map<AcquisitionId, LockReply> granted = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                granted.put(command.id(), reply);
            }
            return reply;
        }

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            return reply instanceof LockReply.Gone ? granted.getOrDefault(command.id(), reply) : reply;
        }
    }

    /** Replies with the full length, and extends the lease by half of it. */
    static class ExpiresEarly extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(
                    new LockCommand.Renew(
                            command.name(), command.id(), command.lease().dividedBy(2)),
                    lock,
                    now);
            return reply instanceof LockReply.Granted granted
                    ? new LockReply.Granted(granted.token(), command.lease())
                    : reply;
        }
    }

    /** A renewal counts from the end of the lease instead of from now. */
    static class Adds extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                hold(
                        lock,
                        lease(lock).renewed(command.lease(), lease(lock).until().plus(command.lease())));
            }
            return reply;
        }
    }

    /** Every renewal of a lease is for the length of the first. */
    static class ForTheFirstLength extends MutatedSpace {
        private final Map<AcquisitionId, Duration> lengths = new HashMap<>();

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            Duration length = lengths.computeIfAbsent(command.id(), any -> command.lease());
            return super.renew(new LockCommand.Renew(command.name(), command.id(), length), lock, now);
        }
    }

    /** A renewal is for three times the length of the grant at most. */
    static class Limits extends MutatedSpace {
        private final Map<AcquisitionId, Duration> limits = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            limits.putIfAbsent(command.id(), command.lease().multipliedBy(3));
            return super.acquire(command, lock, now);
        }

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            Duration limit = limits.getOrDefault(command.id(), command.lease());
            Duration length = command.lease().compareTo(limit) < 0 ? command.lease() : limit;
            return super.renew(new LockCommand.Renew(command.name(), command.id(), length), lock, now);
        }
    }

    /** The second renewal of a lease is Gone. */
    static class Once extends MutatedSpace {
        private final Set<AcquisitionId> renewed = new HashSet<>();

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            return renewed.add(command.id()) ? super.renew(command, lock, now) : new LockReply.Gone();
        }
    }

    /** The renewal of a waiter removes it from the queue. */
    static class Withdraws extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            lock.queue.withdraw(command.id());
            return super.renew(command, lock, now);
        }
    }
}
