package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Mutants that are wrong in combinations of commands that no rule by itself sends. */
final class MutatedHistories {

    private static final Duration A_MOMENT = Duration.ofMillis(1);

    private MutatedHistories() {}

    // Restarts

    /** Forgets something about each lock when the store is restarted. */
    abstract static class AfterRestart extends MutatedSpace {
        private final Set<LockRecord> toForget = new HashSet<>();
        private final Set<LockRecord> used = new HashSet<>();

        @Override
        void restarted() {
            toForget.addAll(used);
        }

        @Override
        void expireLeases(LockRecord lock, Instant now) {
            used.add(lock);
            if (toForget.remove(lock)) {
                forget(lock);
            }
            super.expireLeases(lock, now);
        }

        abstract void forget(LockRecord lock);
    }

    /** A lease ends when it would have ended without renewals. */
    static class RestartForgetsRenewals extends AfterRestart {
        private final Map<AcquisitionId, Instant> ends = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                ends.putIfAbsent(command.id(), lease(lock).until());
            }
            return reply;
        }

        @Override
        void forget(LockRecord lock) {
            if (lease(lock) != null) {
                hold(
                        lock,
                        lease(lock)
                                .lasting(
                                        lease(lock).length(),
                                        ends.get(lease(lock).id())));
            }
        }
    }

    static class RestartForgetsMinimumHolds extends AfterRestart {
        @Override
        void forget(LockRecord lock) {
            keep(lock, Instant.MIN);
        }
    }

    static class RestartForgetsTombstones extends AfterRestart {
        @Override
        void forget(LockRecord lock) {
            lock.tombstones.clear();
        }
    }

    /** Counts tokens, and writes the number of the last one too late. */
    static class RestartRepeatsAToken extends AfterRestart {
        @Override
        long nextToken(LockRecord lock, long above, Instant now) {
            return Math.max(lock.lastToken, above) + 1;
        }

        @Override
        void forget(LockRecord lock) {
            lock.lastToken = Math.max(0, lock.lastToken - 1);
        }
    }

    // Repetitions as an engine sends them

    /** An acquire of the holder that would queue extends the lease. */
    static class QueueingRepetitionsExtend extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            if (command.queue() && lease(lock) != null && lease(lock).id().equals(command.id())) {
                hold(lock, lease(lock).renewed(command.lease(), now.plus(command.lease())));
            }
            return super.acquire(command, lock, now);
        }
    }

    /** A waiter that asks without queueing leaves the queue. */
    static class AskingOnceCostsThePlace extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (!command.queue()) {
                lock.queue.withdraw(command.id());
            }
            return reply;
        }
    }

    /** The first waiter claims the lock by queueing only. */
    static class AskingOnceDoesNotClaim extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            boolean claims = lock.leases.isEmpty() && lock.queue.ids().contains(command.id());
            return claims && !command.queue() ? new LockReply.Busy(A_MOMENT) : super.acquire(command, lock, now);
        }
    }

    /** A claim from the queue takes no notice of the floor. */
    static class ClaimsIgnoreTheFloor extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            return super.acquire(
                    lock.queue.ids().contains(command.id())
                            ? new LockCommand.Acquire(
                                    command.name(), command.id(), command.lease(), command.queue(), 0, command.owner())
                            : command,
                    lock,
                    now);
        }
    }

    // While others wait

    /** A renewal that meets an acquire of the same lock is Gone. */
    static LockStore goneOnConflict(LockStore store) {
        return onConflict(store, LockCommand::name, LockCommand.Renew.class, new LockReply.Gone());
    }

    /** An acquire that meets another one of the same lock is Busy, though it queues. */
    static LockStore busyOnConflict(LockStore store) {
        return onConflict(store, LockCommand::name, LockCommand.Acquire.class, new LockReply.Busy(A_MOMENT));
    }

    /** A command that meets an acquire of the same id is Unavailable. */
    static LockStore unavailableOnConflict(LockStore store) {
        LockReply reply = new LockReply.Unavailable(new IllegalStateException("the id is asking"));
        return onConflict(store, LockCommand::id, LockCommand.class, reply);
    }

    private static final Map<Object, AtomicInteger> ACQUIRING = new ConcurrentHashMap<>();

    /** @param what the part of a command that meets that of another one */
    private static LockStore onConflict(
            LockStore store,
            Function<LockCommand, Object> what,
            Class<? extends LockCommand> victims,
            LockReply reply) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (commands.size() != 1) {
                    return super.execute(commands, timeout);
                }
                LockCommand command = commands.get(0);
                AtomicInteger acquiring = ACQUIRING.computeIfAbsent(what.apply(command), any -> new AtomicInteger());
                if (acquiring.get() > 0 && victims.isInstance(command)) {
                    return List.of(reply);
                }
                if (!(command instanceof LockCommand.Acquire)) {
                    return super.execute(commands, timeout);
                }
                acquiring.incrementAndGet();
                try {
                    LockSupport.parkNanos(A_MOMENT.toNanos());
                    return super.execute(commands, timeout);
                } finally {
                    acquiring.decrementAndGet();
                }
            }
        };
    }

    static class RenewalsDropTheWaiters extends MutatedSpace {
        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            if (lease(lock) != null && lease(lock).id().equals(command.id())) {
                List.copyOf(lock.queue.ids()).forEach(lock.queue::withdraw);
            }
            return super.renew(command, lock, now);
        }
    }

    /** The release of an id whose lease has expired takes the first waiter with it. */
    static class LateReleasesDropTheFirstWaiter extends ExpiredLeases {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            AcquisitionId first = lock.queue.first();
            if (first != null && expired.containsKey(command.id())) {
                lock.queue.withdraw(first);
            }
            return super.release(command, lock, now);
        }
    }

    static class WithdrawalsFreeTheHolder extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            if (lease(lock) != null && lock.queue.ids().contains(command.id())) {
                hold(lock, null);
            }
            return super.release(command, lock, now);
        }
    }

    // Exactness

    /** A renewal that comes a little late finds its lease if the lock is still free. */
    static class RenewsALittleLate extends ExpiredLeases {
        private static final Duration GRACE = Duration.ofMillis(30);

        @Override
        LockReply renew(LockCommand.Renew command, LockRecord lock, Instant now) {
            MemoryLease old = expired.get(command.id());
            if (lease(lock) == null && old != null && now.isBefore(old.until().plus(GRACE))) {
                hold(lock, old);
            }
            return super.renew(command, lock, now);
        }
    }

    static class TombstonesLastFiveSeconds extends MutatedSpace {
        private static final Duration LIMIT = Duration.ofSeconds(5);

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            return super.release(
                    command.tombstone().compareTo(LIMIT) > 0 ? withTombstone(command, LIMIT) : command, lock, now);
        }
    }

    static class KeepsFiftyTombstones extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            for (Iterator<AcquisitionId> each = lock.tombstones.keySet().iterator(); lock.tombstones.size() > 50; ) {
                each.next();
                each.remove();
            }
            return reply;
        }
    }

    // Atomicity

    /** Locks the names of a batch in the order of its commands, so that two batches may wait for each other. */
    static LockStore batchesCross(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<ReentrantLock> held = new ArrayList<>();
                try {
                    for (LockCommand command : commands) {
                        ReentrantLock row = ROWS.computeIfAbsent(command.name(), any -> new ReentrantLock());
                        if (!row.tryLock(100, TimeUnit.MILLISECONDS)) {
                            return Collections.nCopies(
                                    commands.size(), new LockReply.Unavailable(new IllegalStateException("deadlock")));
                        }
                        held.add(row);
                        LockSupport.parkNanos(A_MOMENT.toNanos());
                    }
                    return super.execute(commands, timeout);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return Collections.nCopies(commands.size(), new LockReply.Unavailable(e));
                } finally {
                    held.forEach(ReentrantLock::unlock);
                }
            }
        };
    }

    private static final Map<LockName, ReentrantLock> ROWS = new ConcurrentHashMap<>();

    /** Sends an unanswered acquire once more, under another id that no client knows. */
    static LockStore repeatsUnderANewId(LockStore store) {
        Queue<LockCommand> unanswered = new ConcurrentLinkedQueue<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                LockCommand again = unanswered.poll();
                if (again instanceof LockCommand.Acquire acquire) {
                    super.execute(
                            List.of(new LockCommand.Acquire(
                                    acquire.name(),
                                    new AcquisitionId(System.nanoTime(), 1),
                                    acquire.lease(),
                                    false,
                                    0,
                                    acquire.owner())),
                            timeout);
                }
                List<LockReply> replies = super.execute(commands, timeout);
                if (MemoryConnection.isBroken(replies)) {
                    unanswered.addAll(commands);
                }
                return replies;
            }
        };
    }

    /** A waiter is dropped by the one behind it only. */
    static class ALoneDeadWaiterBlocks extends MutatedSpace {
        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                    if (taken.plus(share).areCompatible() && ids().size() == 1 && !ids().contains(id)) {
                        openClaimWindows(taken, now);
                        return false;
                    }
                    return super.admit(id, share, taken, now);
                }

                @Override
                public void dropExpired(Instant now) {
                    if (ids().size() > 1) {
                        super.dropExpired(now);
                    }
                }
            };
        }
    }

    // Names and listings

    static LockStore namesByHashCode(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands.stream()
                                .map(command -> MutatedStores.renamed(command, name -> "#" + name.hashCode()))
                                .toList(),
                        timeout);
            }
        };
    }

    static LockStore listsTwentyWaiters(LockStore store) {
        return listing(store, name -> true, 20);
    }

    static LockStore listsNoLineBreaks(LockStore store) {
        return listing(store, name -> !name.contains("\n"), Integer.MAX_VALUE);
    }

    private static LockStore listing(LockStore store, Predicate<String> shown, int waiters) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout)
                        .filter(info -> shown.test(info.name().value()))
                        .map(info -> new LockInfo(
                                info.name(),
                                info.holders(),
                                info.minimumHoldUntil(),
                                info.waiters().stream().limit(waiters).toList()));
            }
        };
    }

    /** Shows the waiters that have asked within three seconds. */
    static class HidesQuietWaiters extends MutatedSpace {
        private static final Duration LIMIT = Duration.ofSeconds(3);

        private final Map<String, Instant> asked = new ConcurrentHashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            asked.put(command.owner(), now);
            return super.acquire(command, lock, now);
        }

        @Override
        List<LockInfo> list(String prefix) {
            Instant now = clock().instant();
            return super.list(prefix).stream()
                    .map(info -> new LockInfo(
                            info.name(),
                            info.holders(),
                            info.minimumHoldUntil(),
                            info.waiters().stream()
                                    .filter(waiter -> asked.getOrDefault(waiter.owner(), now)
                                            .plus(LIMIT)
                                            .isAfter(now))
                                    .toList()))
                    .toList();
        }
    }
}
