package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Mutants with wrong places in the queue. */
final class MutatedPlaces {

    private MutatedPlaces() {}

    /** The machine stands still after the first waiter of a lock has queued. */
    static LockStore expireBeforeOthersQueue(LockStore store) {
        Set<LockName> names = ConcurrentHashMap.newKeySet();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                LockName name = commands.get(0).name();
                if (isFirstAttempt(name) && replies.get(0) instanceof LockReply.Queued && names.add(name)) {
                    standStill();
                }
                return replies;
            }
        };
    }

    /** The machine stands still before two releases through each store. */
    static LockStore expireBeforeReleases(LockStore store) {
        AtomicInteger times = new AtomicInteger();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (commands.stream().anyMatch(LockCommand.Release.class::isInstance)
                        && isFirstAttempt(commands.get(0).name())
                        && times.incrementAndGet() <= 2) {
                    standStill();
                }
                return super.execute(commands, timeout);
            }
        };
    }

    /** What looks for turns stands still after the first one of each store, and finds none of those that end meanwhile. */
    static LockStore expireBeforeNotifications(LockStore store) {
        AtomicLong end = new AtomicLong();
        return new MutatedCalls(store) {
            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                return super.subscribe(notification -> {
                    long now = System.nanoTime();
                    if (notification
                            .name()
                            .filter(MutatedPlaces::isFirstAttempt)
                            .isPresent()) {
                        end.compareAndSet(0, now + QueueTimes.WAITER_TTL.toNanos());
                    }
                    if (notification.equals(Notification.ANY) || end.get() == 0 || now - end.get() >= 0) {
                        to.accept(notification);
                    }
                });
            }
        };
    }

    /** A rule repeats with another name what took too long. */
    private static boolean isFirstAttempt(LockName name) {
        return name.value().contains("job 1");
    }

    /** Until all places have expired. */
    private static void standStill() {
        long end = System.nanoTime() + QueueTimes.WAITER_TTL.toNanos();
        while (System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    /** The lease of a waiter has the length of its first acquire. */
    static class KeepTheFirstLength extends MutatedSpace {
        private final Map<AcquisitionId, Duration> lengths = new HashMap<>();

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            Duration length = lengths.getOrDefault(command.id(), command.lease());
            LockReply reply = super.acquire(
                    new LockCommand.Acquire(
                            command.name(),
                            command.id(),
                            length,
                            command.queue(),
                            command.tokenFloor(),
                            command.owner()),
                    lock,
                    now);
            if (reply instanceof LockReply.Queued) {
                lengths.putIfAbsent(command.id(), command.lease());
            }
            return reply;
        }
    }

    /** Locks of equal names in different namespaces have one queue. */
    static class SharedBetweenNamespaces extends MutatedSpace {
        private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock();
        private static final Map<LockName, StoreQueue> QUEUES = new ConcurrentHashMap<>();
        private LockName name;

        @Override
        LockReply execute(LockCommand command) {
            ONE_AT_A_TIME.lock();
            try {
                name = command.name();
                return super.execute(command);
            } finally {
                ONE_AT_A_TIME.unlock();
            }
        }

        @Override
        StoreQueue newQueue() {
            return QUEUES.computeIfAbsent(name, any -> new StoreQueue());
        }
    }

    /** A dead waiter behind a living one keeps its place. */
    static MutatedSpace dropsTheFirstOnly() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private final Map<AcquisitionId, Instant> seen = new HashMap<>();

            @Override
            public void join(AcquisitionId id, String owner, Share share, Instant now) {
                seen.put(id, now);
                super.join(id, owner, share, now);
            }

            @Override
            public void dropExpired(Instant now) {
                for (AcquisitionId first = first(); first != null && isDead(first, now); first = first()) {
                    withdraw(first);
                }
            }

            private boolean isDead(AcquisitionId id, Instant now) {
                return !now.isBefore(seen.get(id).plus(QueueTimes.WAITER_TTL));
            }

            @Override
            public Instant nextExpiry() {
                return first() == null ? Instant.MAX : seen.get(first()).plus(QueueTimes.WAITER_TTL);
            }
        });
    }

    /** Tells the waiters after the first of a free lock to retry rarely. */
    static MutatedSpace tellsToRetryLate() {
        return new MutatedQueues.RetryTimes(
                (right, command, lock, now) -> lock.leases.isEmpty() ? QueueTimes.REFRESH_INTERVAL : right);
    }

    /** One waiter of ten goes to the end when it asks again. */
    static MutatedSpace losesSome() {
        return new MutatedQueues.Queueing(() -> new StoreQueue() {
            private int count;

            @Override
            public void join(AcquisitionId id, String owner, Share share, Instant now) {
                if (++count % 10 == 0) {
                    withdraw(id);
                }
                super.join(id, owner, share, now);
            }
        });
    }

    /** A free lock is granted to its previous holder, regardless of the queue. */
    static class LetsPreviousHoldersOvertake extends MutatedSpace {
        private final Map<LockName, AcquisitionId> holders = new HashMap<>();
        private boolean again;

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            again = command.id().equals(holders.get(command.name()));
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Granted) {
                holders.put(command.name(), command.id());
            }
            return reply;
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                    return (again && taken.plus(share).areCompatible()) || super.admit(id, share, taken, now);
                }
            };
        }
    }

    /** The claim window of an expired or kept lock begins with the next command. */
    static class OpenClaimWindowsLate extends MutatedSpace {
        private boolean expires;

        @Override
        void expire(MemoryLease lease, LockRecord lock) {
            expires = true;
            super.expire(lease, lock);
            expires = false;
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                @Override
                public void openClaimWindows(TakenPermits taken, Instant since) {
                    if (!expires) {
                        super.openClaimWindows(taken, since);
                    }
                }
            };
        }
    }

    /** After a claim window the lock is granted to any id. */
    static MutatedSpace endReservationsWithTheWindow() {
        return MutatedQueues.passOverNone(
                (queue, id, now) -> queue.claimWindows().get(0).isOver(now));
    }

    /** Has no notifications, and tells the first waiter to retry as rarely as if it had. */
    static LockStore waitsForNotificationsThatNeverCome(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return Set.of(Capability.QUEUE, Capability.LIST);
            }
        };
    }
}
