package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.TakenPermits;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.spi.support.StoreQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Mutants with a wrong queue. */
final class MutatedQueues {

    private MutatedQueues() {}

    /** The reference with another queue. */
    static class Queueing extends MutatedSpace {
        private final Supplier<StoreQueue> newQueue;

        Queueing(Supplier<StoreQueue> newQueue) {
            this.newQueue = newQueue;
        }

        @Override
        StoreQueue newQueue() {
            return newQueue.get();
        }
    }

    static void beginClaimWindowsAnew(StoreQueue queue) {
        List<StoreQueue.Place> all = queue.places();
        all.forEach(each -> queue.removeGranted(each.id()));
        all.forEach(each -> queue.join(each.id(), each.owner(), each.share(), each.seen()));
    }

    /** Which ids a queue admits to an exclusive lock that is free. */
    interface Admission {
        boolean admits(StoreQueue queue, AcquisitionId id, Instant now);
    }

    /** Admits others besides those that have a right to it. */
    static MutatedSpace alsoAdmit(Admission others) {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                return super.admit(id, share, taken, now)
                        || (taken.plus(share).areCompatible() && others.admits(this, id, now));
            }
        });
    }

    /** Passes over no waiter that does not use its claim window, and admits others besides that waiter. */
    static MutatedSpace passOverNone(Admission others) {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public boolean admit(AcquisitionId id, Share share, TakenPermits taken, Instant now) {
                openClaimWindows(taken, now);
                return taken.plus(share).areCompatible()
                        && (isEmpty() || id.equals(first()) || others.admits(this, id, now));
            }
        });
    }

    static MutatedSpace servesLastFirst() {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public Set<AcquisitionId> ids() {
                List<AcquisitionId> reversed = new ArrayList<>(super.ids());
                Collections.reverse(reversed);
                return new LinkedHashSet<>(reversed);
            }
        });
    }

    static MutatedSpace repetitionGoesToTheEnd() {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public void join(AcquisitionId id, String owner, Share share, Instant now) {
                withdraw(id);
                super.join(id, owner, share, now);
            }
        });
    }

    static MutatedSpace forgetsWithdrawals() {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public void withdraw(AcquisitionId id) {}
        });
    }

    static MutatedSpace oneQueueForAllNames() {
        StoreQueue all = new StoreQueue();
        return new Queueing(() -> all);
    }

    /** Each opened store has a queue of its own. */
    static class QueuePerStore extends MutatedSpace {
        private final AtomicInteger opened = new AtomicInteger();
        private final ThreadLocal<Integer> asking = ThreadLocal.withInitial(() -> 0);

        @Override
        public LockStore open() {
            int number = opened.incrementAndGet();
            return new MutatedCalls(super.open()) {
                @Override
                public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                    asking.set(number);
                    return super.execute(commands, timeout);
                }
            };
        }

        @Override
        StoreQueue newQueue() {
            return new StoreQueue() {
                private final Map<AcquisitionId, Integer> stores = new HashMap<>();

                @Override
                public void join(AcquisitionId id, String owner, Share share, Instant now) {
                    stores.putIfAbsent(id, asking.get());
                    super.join(id, owner, share, now);
                }

                @Override
                public Set<AcquisitionId> ids() {
                    return super.ids().stream()
                            .filter(id -> asking.get().equals(stores.get(id)))
                            .collect(Collectors.toCollection(LinkedHashSet::new));
                }

                @Override
                public AcquisitionId first() {
                    return ids().stream().findFirst().orElse(null);
                }
            };
        }
    }

    /** Notifies only the first waiter of a free lock. */
    static class DoesNotNotifyOfMinimumHolds extends MutatedSpace {
        @Override
        List<AcquisitionId> settle(LockCommand command, LockReply reply, LockRecord lock, Instant now) {
            List<AcquisitionId> next = super.settle(command, reply, lock, now);
            return reply.equals(new LockReply.Released(true))
                            && lock.queue.claimWindows().isEmpty()
                    ? List.of()
                    : next;
        }
    }

    /** Tells waiters another time after which to retry. */
    static final class RetryTimes extends MutatedSpace {
        private final RetryTime retryTime;

        RetryTimes(RetryTime retryTime) {
            this.retryTime = retryTime;
        }

        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            return reply instanceof LockReply.Queued queued
                    ? new LockReply.Queued(retryTime.instead(queued.retryAfter(), command, lock, now))
                    : reply;
        }
    }

    interface RetryTime {
        Duration instead(Duration right, LockCommand.Acquire command, LockRecord lock, Instant now);
    }

    /** Tells waiters to retry at the end of the lease. */
    static MutatedSpace tellsToRetryAtTheEnd() {
        return new RetryTimes((right, command, lock, now) -> MutatedSpace.lease(lock) == null
                ? right
                : Duration.between(now, MutatedSpace.lease(lock).until()));
    }

    /** Tells the second waiter to retry rarely. */
    static MutatedSpace tellsTheSecondToRetryRarely() {
        return new RetryTimes((right, command, lock, now) ->
                MutatedSpace.lease(lock) == null || command.id().equals(lock.queue.first())
                        ? right
                        : QueueTimes.REFRESH_INTERVAL);
    }

    /** Tells waiters to poll. */
    static MutatedSpace tellsToPoll() {
        return new RetryTimes((right, command, lock, now) -> Duration.ofMillis(1));
    }

    /** Writes no tombstone for the first waiter of a free lock. */
    static class NoTombstoneForTheFirst extends MutatedSpace {
        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            boolean isDue = lock.queue.claimWindows().stream()
                    .anyMatch(window -> window.id().equals(command.id()));
            Duration tombstone = isDue ? Duration.ZERO : command.tombstone();
            return super.release(withTombstone(command, tombstone), lock, now);
        }
    }

    /** The place of a dead waiter leaves a row behind. */
    static class KeepsDeadWaiters extends MutatedSpace {
        private final Set<AcquisitionId> rows = new HashSet<>();

        @Override
        LockReply execute(LockCommand command) {
            LockReply reply = super.execute(command);
            synchronized (rows) {
                if (reply instanceof LockReply.Queued) {
                    rows.add(command.id());
                } else {
                    rows.remove(command.id());
                }
            }
            return reply;
        }

        @Override
        public int namesInUse() {
            synchronized (rows) {
                return super.namesInUse() + rows.size();
            }
        }
    }

    /** Sorts the acquires of a batch in the wrong order. */
    static LockStore sortsBatches(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                boolean allWait = commands.stream()
                        .allMatch(command -> command instanceof LockCommand.Acquire ask && ask.queue());
                return allWait
                        ? MutatedStores.reversed(super.execute(MutatedStores.reversed(commands), timeout))
                        : super.execute(commands, timeout);
            }
        };
    }

    /** An acquire that does not queue gets a place. */
    static class QueuesTriers extends MutatedSpace {
        @Override
        LockReply acquire(LockCommand.Acquire command, LockRecord lock, Instant now) {
            LockReply reply = super.acquire(command, lock, now);
            if (reply instanceof LockReply.Busy) {
                lock.queue.join(command.id(), command.owner(), command.share(), now);
            }
            return reply;
        }
    }

    static MutatedSpace placesLastForAMoment() {
        return placesLast(Duration.ofSeconds(5));
    }

    static MutatedSpace placesLastTenSeconds() {
        return placesLast(Duration.ofSeconds(10));
    }

    private static MutatedSpace placesLast(Duration length) {
        return new Queueing(() -> new StoreQueue() {
            private final Map<AcquisitionId, Instant> seen = new HashMap<>();

            @Override
            public void join(AcquisitionId id, String owner, Share share, Instant now) {
                seen.put(id, now);
                super.join(id, owner, share, now);
            }

            @Override
            public void dropExpired(Instant now) {
                for (AcquisitionId id : List.copyOf(ids())) {
                    if (seen.get(id).plus(length).isBefore(now)) {
                        withdraw(id);
                    }
                }
                super.dropExpired(now);
            }
        });
    }

    static MutatedSpace placesLastForEver() {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public void dropExpired(Instant now) {}

            @Override
            public Instant nextExpiry() {
                return Instant.MAX;
            }
        });
    }

    /** Drops waiters for the whole lock only. */
    static MutatedSpace placesForSharesLastForEver() {
        return new Queueing(() -> new StoreQueue() {
            @Override
            public void dropExpired(Instant now) {
                places().stream()
                        .filter(place -> place.share().isExclusive() && !now.isBefore(place.expiry()))
                        .forEach(place -> withdraw(place.id()));
            }

            @Override
            public Instant nextExpiry() {
                return Instant.MAX;
            }
        });
    }
}
