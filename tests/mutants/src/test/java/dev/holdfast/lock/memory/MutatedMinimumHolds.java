package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Mutants whose minimum holds begin or end at the wrong time, or that a kept lock confuses. */
final class MutatedMinimumHolds {

    private MutatedMinimumHolds() {}

    /** That of a writer is a lease again when no reader waits any more. */
    static class EndWithTheReaders extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean isWaitedFor = !lock.queue.isEmpty();
            LockReply reply = super.release(command, lock, now);
            if (isWaitedFor && lock.queue.isEmpty()) {
                lock.leases.replaceAll(lease -> new MemoryLease(
                        lease.id(),
                        lease.owner(),
                        lease.share(),
                        lease.token(),
                        lease.since(),
                        lease.length(),
                        lease.until(),
                        true));
            }
            return reply;
        }
    }

    /** The minimum hold counts from another instant than the grant. */
    private abstract static class CountsFrom extends MutatedSpace {
        static void begin(LockRecord lock, Instant since) {
            MemoryLease lease = lease(lock);
            hold(
                    lock,
                    new MemoryLease(
                            lease.id(),
                            lease.owner(),
                            lease.share(),
                            lease.token(),
                            since,
                            lease.length(),
                            lease.until(),
                            true));
        }
    }

    /** The minimum hold counts from when the holder joined the queue. */
    static class CountsFromTheQueue extends CountsFrom {
        private final Map<AcquisitionId, Instant> queued = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Queued) {
                queued.putIfAbsent(command.id(), now);
            } else if (reply instanceof LockReply.Granted && queued.containsKey(command.id())) {
                begin(lock, queued.get(command.id()));
            }
            return reply;
        }
    }

    /** The minimum hold counts from the latest renewal. */
    static class CountsFromTheRenewal extends CountsFrom {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                begin(lock, now);
            }
            return reply;
        }
    }

    /** The minimum hold counts from the latest acquire of its id. */
    static class CountsFromTheRepetition extends CountsFrom {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                begin(lock, now);
            }
            return reply;
        }
    }

    /** The minimum hold of a share counts from the latest grant of its lock. */
    static class CountsFromTheLatestGrant extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            Duration late = lock.leases.stream()
                    .filter(each -> each.id().equals(command.id()))
                    .map(own -> Duration.between(
                            own.since(), lock.leases.get(lock.leases.size() - 1).since()))
                    .findFirst()
                    .orElse(Duration.ZERO);
            return super.release(withMinimumHold(command, command.minimumHold().plus(late)), lock, now);
        }
    }

    /** The release of an id that did not hold the lock ends the minimum hold. */
    static class StrangersEndIt extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (lease(lock) == null && !lock.hasTombstone(command.id(), now)) {
                keep(lock, Instant.MIN);
            }
            return super.release(command, lock, now);
        }
    }

    /** A second release with a longer minimum hold keeps the lock for longer. */
    static class SecondReleasesExtendIt extends MutatedSpace {
        private final Map<AcquisitionId, Instant> grants = new HashMap<>();

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (lease(lock) != null) {
                grants.put(lease(lock).id(), lease(lock).since());
            } else if (isKept(lock) && grants.containsKey(command.id())) {
                Instant until = grants.get(command.id()).plus(command.minimumHold());
                keep(lock, until.isAfter(keptUntil(lock)) ? until : keptUntil(lock));
            }
            return super.release(command, lock, now);
        }
    }

    /** Ignores one minimum hold of ten. */
    static class IgnoresSome extends MutatedSpace {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean ignored = !command.minimumHold().isZero() && count.incrementAndGet() % 10 == 0;
            return super.release(ignored ? withMinimumHold(command, Duration.ZERO) : command, lock, now);
        }
    }

    /** A kept lock gives no place in its queue. */
    static class RefusesWaiters extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean isNew = !lock.queue.ids().contains(command.id());
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Queued && isNew && lease(lock) == null && isKept(lock)) {
                lock.queue.withdraw(command.id());
                return new LockReply.Busy(Duration.ofMillis(5));
            }
            return reply;
        }
    }

    /** Tells the waiters of a kept lock to retry as late as those of its lease. */
    static MutatedSpace tellsToRetryLate() {
        return new MutatedQueues.RetryTimes(
                (right, command, lock, now) -> MutatedSpace.isKept(lock) ? Duration.ofSeconds(5) : right);
    }
}
