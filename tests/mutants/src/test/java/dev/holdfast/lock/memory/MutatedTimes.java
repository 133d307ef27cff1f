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
import java.util.concurrent.atomic.AtomicInteger;

/** Mutants with wrong ends or remaining times of some leases. */
final class MutatedTimes {

    private MutatedTimes() {}

    /** A renewed lease ends three seconds late. */
    static class RenewedLeasesEndLate extends MutatedSpace {
        private static final Duration LATE = Duration.ofSeconds(3);
        private final Set<AcquisitionId> renewed = new HashSet<>();

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (reply instanceof LockReply.Granted && renewed.add(command.id())) {
                hold(
                        lock,
                        lease(lock)
                                .renewed(
                                        lease(lock).length(),
                                        lease(lock).until().plus(LATE)));
            }
            return reply;
        }

        @Override
        Duration remaining(MemoryLease lease, Instant now) {
            Duration remaining = super.remaining(lease, now);
            return renewed.contains(lease.id()) && remaining.compareTo(LATE) > 0 ? remaining.minus(LATE) : remaining;
        }
    }

    /** The reply to a renewal has the length that it asked for, or that of the lease if it is longer. */
    static class RenewalsReplyTheLength extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            return reply instanceof LockReply.Granted granted
                    ? new LockReply.Granted(granted.token(), lease(lock).length())
                    : reply;
        }
    }

    /** The reply to a repeated acquire has half of the remaining time. */
    static class RepetitionsReplyTooLittle extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean again = lease(lock) != null && lease(lock).id().equals(command.id());
            LockReply reply = super.acquire(command, lock, now);
            return again && reply instanceof LockReply.Granted granted
                    ? new LockReply.Granted(granted.token(), granted.remaining().dividedBy(2))
                    : reply;
        }
    }

    /** The reply to a repeated acquire knows nothing of renewals. */
    static class RepetitionsForgetRenewals extends MutatedSpace {
        private final Map<AcquisitionId, Instant> ends = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (!(reply instanceof LockReply.Granted granted)) {
                return reply;
            }
            Duration left = Duration.between(
                    now, ends.computeIfAbsent(command.id(), any -> lease(lock).until()));
            return new LockReply.Granted(granted.token(), left.isNegative() ? Duration.ZERO : left);
        }
    }

    /** One lease of ten ends after half its length. */
    static class SomeLeasesEndEarly extends MutatedSpace {
        private final AtomicInteger count = new AtomicInteger();
        private final Set<AcquisitionId> early = new HashSet<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean held = lease(lock) != null;
            LockReply reply = super.acquire(command, lock, now);
            if (!held && reply instanceof LockReply.Granted && count.incrementAndGet() % 10 == 0) {
                MemoryLease lease = lease(lock);
                early.add(lease.id());
                hold(lock, lease.lasting(lease.length(), now.plus(lease.length().dividedBy(2))));
            }
            return reply;
        }

        @Override
        Duration remaining(MemoryLease lease, Instant now) {
            Duration remaining = super.remaining(lease, now);
            return early.contains(lease.id()) ? remaining.plus(lease.length().dividedBy(2)) : remaining;
        }
    }

    /** One renewal of ten is granted, but extends nothing. */
    static class SomeRenewalsExtendNothing extends MutatedSpace {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            MemoryLease before = lease(lock);
            LockReply reply = super.renew(command, lock, now);
            if (count.incrementAndGet() % 10 == 0) {
                hold(lock, before);
            }
            return reply;
        }
    }

    /** An expired id gets its old grant while another id holds the lock. */
    static class ExpiredIdsKeepTheirGrant extends ExpiredLeases {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            MemoryLease old = expired.get(command.id());
            return old != null && lease(lock) != null && !lease(lock).id().equals(command.id())
                    ? new LockReply.Granted(old.token(), command.lease())
                    : super.acquire(command, lock, now);
        }
    }

    /** The renewal of the first waiter of a free lock takes it. */
    static class RenewalsClaim extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            if (lease(lock) == null && command.id().equals(lock.queue.first())) {
                return acquire(
                        new LockCommand.Acquire(command.name(), command.id(), command.lease(), true, 0, "renewed"),
                        lock,
                        now);
            }
            return super.renew(command, lock, now);
        }
    }
}
