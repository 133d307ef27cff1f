package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Mutants with wrong shares. */
final class MutatedShares {

    private MutatedShares() {}

    /** Has no shares, and executes each command as an exclusive one. */
    static LockStore ignoresThem(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return super.capabilities().stream()
                        .filter(each -> each != Capability.SHARES)
                        .collect(Collectors.toSet());
            }

            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream()
                                .map(command -> withShare(command, Share.EXCLUSIVE))
                                .toList(),
                        timeout);
            }
        };
    }

    /** The reference with another way to count what is taken and waited for. */
    private static class Counting extends MutatedSpace {
        private final Counter counter;

        Counting(Counter counter) {
            this.counter = counter;
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                    openClaimWindows(taken, now);
                    return counter.admits(this, id, share, taken, super.admit(id, share, taken, now));
                }
            };
        }
    }

    private interface Counter {
        boolean admits(StoreQueue queue, AcquisitionId id, Share share, TakenPermits taken, boolean right);
    }

    /** A reader excludes other readers. */
    static MutatedSpace readersExcludeReaders() {
        return new Counting((queue, id, share, taken, right) -> right
                && !(share.limit() == Share.UNLIMITED && taken.limit() == Share.UNLIMITED && taken.permits() > 0));
    }

    /** A reader enters beside a writer. */
    static MutatedSpace readersIgnoreWriters() {
        return new Counting((queue, id, share, taken, right) -> right || share.limit() == Share.UNLIMITED);
    }

    /** Compares with the limit of the request only. */
    static MutatedSpace ownLimitCounts() {
        return new Counting((queue, id, share, taken, right) ->
                right || (queue.isEmpty() && taken.permits() + share.permits() <= share.limit()));
    }

    /** Compares with the limit of the first share that was granted. */
    static class FirstLimitCounts extends MutatedSpace {
        private final Map<LockName, Integer> limits = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (lock.leases.isEmpty()) {
                limits.put(command.name(), command.share().limit());
            }
            int limit = Math.max(command.share().permits(), limits.get(command.name()));
            return super.acquire(
                    (LockCommand.Acquire)
                            withShare(command, new Share(command.share().permits(), limit)),
                    lock,
                    now);
        }
    }

    /** Adds the permits of holders and waiters in 32 bits without a sign. */
    static MutatedSpace addsIn32Bits() {
        return new Counting((queue, id, share, taken, right) -> {
            TakenPermits all = taken.plus(share);
            for (StoreQueue.Place place : queue.places()) {
                all = all.plus(place.share());
            }
            return right || (all.permits() & 0xFFFF_FFFFL) <= all.limit();
        });
    }

    /** Counts holders, whatever their permits. */
    static class CountsHolders extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return super.acquire(
                    (LockCommand.Acquire)
                            withShare(command, new Share(1, command.share().limit())),
                    lock,
                    now);
        }
    }

    /** A request that is refused keeps the permits that it could get, until it asks again or is released. */
    static class TakesPermitsOneByOne extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            lock.leases.removeIf(each -> each.id().equals(partOf(command.id())));
            LockReply reply = super.acquire(command, lock, now);
            long room = command.share().limit() - lock.taken().permits();
            if (reply instanceof LockReply.Busy && command.share().permits() > 1 && room > 0) {
                lock.leases.add(new MemoryLease(
                        partOf(command.id()),
                        command.owner(),
                        new Share((int) room, command.share().limit()),
                        lock.lastToken,
                        now,
                        command.lease(),
                        now.plus(command.lease()),
                        true));
            }
            return reply;
        }

        private static AcquisitionId partOf(AcquisitionId id) {
            return new AcquisitionId(~id.high(), id.low());
        }
    }

    /** A renewal extends all leases of the lock. */
    static class RenewsAll extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                lock.leases.replaceAll(each -> each.renewed(command.lease(), now.plus(command.lease())));
            }
            return reply;
        }
    }

    /** A renewal of a share shortens its lease. */
    static class RenewalsShorten extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            if (!command.share().isExclusive()) {
                lock.leases.replaceAll(each -> each.id().equals(command.id()) && each.isHeld()
                        ? each.lasting(command.lease(), now.plus(command.lease()))
                        : each);
            }
            return reply;
        }
    }

    /** Does not note the tokens of shares that the clock has not reached. */
    static class ForgetsTokens extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            long before = lock.lastToken;
            LockReply reply = super.acquire(command, lock, now);
            if (!command.share().isExclusive() && command.tokenFloor() > 0) {
                lock.lastToken = before;
            }
            return reply;
        }
    }

    /** The shares of a lock have one expiry, the latest of theirs. */
    static class EndTogether extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            endAtOnce(lock);
            return reply;
        }

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            LockReply reply = super.renew(command, lock, now);
            endAtOnce(lock);
            return reply;
        }

        private static void endAtOnce(LockRecord lock) {
            lock.leases.stream()
                    .max(Comparator.comparing(MemoryLease::until))
                    .ifPresent(latest -> lock.leases.replaceAll(each -> each.renewed(each.length(), latest.until())));
        }
    }

    /** Each attempt of a holder takes its share once more. */
    static class CountsRepetitions extends MutatedSpace {
        private long repetitions;

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean again = lock.leases.stream().anyMatch(each -> each.id().equals(command.id()));
            LockReply reply = super.acquire(command, lock, now);
            if (again
                    && reply instanceof LockReply.Granted granted
                    && !command.share().isExclusive()) {
                lock.leases.add(new MemoryLease(
                        new AcquisitionId(++repetitions, granted.token()),
                        command.owner(),
                        command.share(),
                        granted.token(),
                        now,
                        command.lease(),
                        now.plus(command.lease()),
                        true));
            }
            return reply;
        }
    }

    /** Any release of a share frees one. */
    static class FreesForAnyId extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean holds = lock.leases.stream().anyMatch(each -> each.id().equals(command.id()));
            if (!holds && !command.share().isExclusive() && !lock.leases.isEmpty()) {
                lock.leases.remove(0);
            }
            return super.release(command, lock, now);
        }
    }

    /** A reader enters beside readers, whatever waits. */
    static MutatedSpace readersPassWaitingWriters() {
        return new Counting((queue, id, share, taken, right) ->
                right || (share.limit() == Share.UNLIMITED && taken.plus(share).areCompatible()));
    }

    /** A writer that gives up stays in the way of the readers behind it. */
    static class LostWritersBlock extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean waits =
                    lock.queue.ids().contains(command.id()) && lock.queue.ids().size() > 1 && !lock.leases.isEmpty();
            return waits ? new LockReply.Released(false) : super.release(command, lock, now);
        }
    }

    /** Only the first waiter is due. */
    static MutatedSpace dueOneByOne() {
        return new Counting((queue, id, share, taken, right) -> right
                && (queue.isEmpty() || id.equals(queue.first()) || !queue.ids().contains(id)));
    }

    /** Each reader that is due gets a claim window after that of the one before. */
    static MutatedSpace claimWindowsOneByOne() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                openClaimWindows(taken, now);
                int before = 0;
                for (ClaimWindow window : claimWindows()) {
                    before++;
                    boolean isOver = !now.isBefore(window.since().plus(QueueTimes.CLAIM_WINDOW.multipliedBy(before)));
                    if (!window.id().equals(id) && share.isExclusive() && !isOver) {
                        return false;
                    }
                }
                return super.admit(id, share, taken, now);
            }
        });
    }

    /** A request for few permits is granted if there is room, whatever waits. */
    static MutatedSpace smallRequestsPass() {
        return new Counting((queue, id, share, taken, right) -> right
                || (share.limit() < Share.UNLIMITED
                        && share.permits() == 1
                        && taken.plus(share).areCompatible()));
    }

    /** A release wakes one waiter only. */
    static class WakesOnlyOne extends MutatedSpace {
        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            return super.settle(command, reply, lock, now).stream().limit(1).toList();
        }
    }

    /** Notifies the waiters of a lock that has shares only when a share is released. */
    static class NotifiesOfReleasesOnly extends MutatedSpace {
        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> right = super.settle(command, reply, lock, now);
            boolean isRelease = reply.equals(new LockReply.Released(true));
            return isRelease || isExclusive(lock) ? right : List.of();
        }

        private static boolean isExclusive(LockRecord lock) {
            return lock.leases.stream().allMatch(each -> each.share().isExclusive())
                    && lock.queue.places().stream()
                            .allMatch(each -> each.share().isExclusive());
        }
    }

    /** Does not tell the first waiter that a share is free at the end of a minimum hold, sooner than its lease would have ended. */
    static class DoesNotNotifyOfMinimumHolds extends MutatedSpace {
        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> right = super.settle(command, reply, lock, now);
            boolean isKept = command instanceof LockCommand.Release release
                    && !release.minimumHold().isZero();
            return isKept && !command.share().isExclusive() ? List.of() : right;
        }
    }

    /** Tells the first waiter for a share to retry rarely, whenever the share in its way ends. */
    static MutatedSpace tellsToRetryLate() {
        return new MutatedQueues.RetryTimes(
                (right, command, lock, now) -> command.share().isExclusive() ? right : QueueTimes.REFRESH_INTERVAL);
    }

    /** Has tokens for readers and permits that are not those of exclusive leases. */
    private abstract static class TokensOfShares extends MutatedSpace {
        private boolean isShare;

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            isShare = !command.share().isExclusive();
            return super.acquire(command, lock, now);
        }

        @Override
        final long nextToken(LockRecord lock, long above, Instant now) {
            return isShare ? nextTokenOfShare(lock, above, now) : super.nextToken(lock, above, now);
        }

        long nextTokenOfShare(LockRecord lock, long above, Instant now) {
            return super.nextToken(lock, above, now);
        }
    }

    /** Counts the tokens of readers and permits apart from those of exclusive leases. */
    static class TokensPerKind extends TokensOfShares {
        private long last;

        @Override
        long nextTokenOfShare(LockRecord lock, long above, Instant now) {
            last = Math.max(last, above) + 1;
            return last;
        }
    }

    /** Takes no notice of the token floor of a share. */
    static class IgnoreTheFloor extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return super.acquire(command.share().isExclusive() ? command : withoutFloor(command), lock, now);
        }

        private static LockCommand.Acquire withoutFloor(LockCommand.Acquire command) {
            return new LockCommand.Acquire(
                    command.name(),
                    command.id(),
                    command.lease(),
                    command.queue(),
                    0,
                    command.owner(),
                    command.share());
        }
    }

    /** Grants a share with the greatest token again if no other one is left. */
    static class CapTokens extends TokensOfShares {
        @Override
        long nextTokenOfShare(LockRecord lock, long above, Instant now) {
            return Math.min(super.nextTokenOfShare(lock, above, now), LockReply.Granted.MAX_TOKEN);
        }
    }

    /** A minimum hold keeps exclusive locks only. */
    static class FreesBeforeTheMinimum extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(
                    command.share().isExclusive() ? command : withMinimumHold(command, Duration.ZERO), lock, now);
        }
    }

    /** A minimum hold keeps the whole lock. */
    static class MinimumHoldsKeepTheLock extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean isHolder = lock.leases.stream()
                    .anyMatch(each -> each.isHeld() && each.id().equals(command.id()));
            return isKept(lock) && !isHolder && !lock.hasTombstone(command.id(), now)
                    ? new LockReply.Busy(Duration.ofMillis(5))
                    : super.acquire(command, lock, now);
        }
    }

    /** Keeps the limit of each lock that ever had one. */
    static class KeepsLimits extends MutatedSpace {
        private final Set<LockName> limits = ConcurrentHashMap.newKeySet();

        @Override
        LockReply execute(LockCommand command) {
            if (!command.share().isExclusive()) {
                limits.add(command.name());
            }
            return super.execute(command);
        }

        @Override
        public int namesInUse() {
            return Math.max(super.namesInUse(), limits.size());
        }
    }

    /** Lists one holder of each lock. */
    static LockStore listsOneHolder(LockStore store) {
        return listing(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders().stream().limit(1).toList(),
                        info.minimumHoldUntil(),
                        info.waiters()));
    }

    /** Lists all waiters as if they waited for the whole lock. */
    static LockStore listsExclusiveWaiters(LockStore store) {
        return listing(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders(),
                        info.minimumHoldUntil(),
                        info.waiters().stream()
                                .map(waiter -> new LockInfo.Waiter(waiter.owner(), Share.EXCLUSIVE))
                                .toList()));
    }

    private static LockStore listing(LockStore store, UnaryOperator<LockInfo> shown) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).map(shown);
            }
        };
    }

    static LockCommand withShare(LockCommand command, Share share) {
        if (command instanceof LockCommand.Acquire acquire) {
            return new LockCommand.Acquire(
                    acquire.name(),
                    acquire.id(),
                    acquire.lease(),
                    acquire.queue(),
                    acquire.tokenFloor(),
                    acquire.owner(),
                    share);
        } else if (command instanceof LockCommand.Renew renew) {
            return new LockCommand.Renew(renew.name(), renew.id(), renew.lease(), share);
        } else {
            LockCommand.Release release = (LockCommand.Release) command;
            return new LockCommand.Release(
                    release.name(), release.id(), release.minimumHold(), release.tombstone(), share);
        }
    }
}
