package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Mutants with wrong calls, threads, closing or capabilities. */
final class MutatedConnections {

    private MutatedConnections() {}

    static LockStore clearsInterrupts(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                Thread.interrupted();
                return super.execute(commands, timeout);
            }
        };
    }

    /** Clears an interrupt while it waits. */
    static LockStore swallowsInterrupts(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                boolean before = Thread.currentThread().isInterrupted();
                try {
                    return super.execute(commands, timeout);
                } finally {
                    if (!before) {
                        Thread.interrupted();
                    }
                }
            }
        };
    }

    /** It has two connections, and its timeout begins with one of them. */
    static LockStore waitsForItsPool(LockStore store) {
        Semaphore pool = new Semaphore(2);
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                pool.acquireUninterruptibly();
                try {
                    return super.execute(commands, timeout);
                } finally {
                    pool.release();
                }
            }
        };
    }

    /** Each store has a thread, which close() does not end. */
    static LockStore leavesThreads(LockStore store) {
        Thread thread = new Thread(
                () -> {
                    while (true) {
                        LockSupport.park();
                    }
                },
                "reaper");
        thread.setDaemon(true);
        thread.start();
        return store;
    }

    static LockStore exceedsTimeouts(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                return super.execute(
                        commands, timeout.multipliedBy(60)); // the rule counts ticks, which may take twice as long
            }
        };
    }

    /** All threads share one buffer. */
    static LockStore mixesUpCalls(LockStore store) {
        Exchanger<List<LockReply>> buffer = new Exchanger<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> own = super.execute(commands, timeout);
                try {
                    List<LockReply> others = buffer.exchange(own, 20, TimeUnit.MILLISECONDS);
                    return others.size() == own.size() ? others : own;
                } catch (TimeoutException e) {
                    return own;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return own;
                }
            }
        };
    }

    static LockStore refusesEmptyBatches(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (commands.isEmpty()) {
                    throw new IllegalArgumentException("syntax error near ()");
                }
                return super.execute(commands, timeout);
            }
        };
    }

    /** Can release what was asked for. */
    private static class Releasing extends MutatedCalls {
        private final Map<AcquisitionId, LockCommand> asked = new ConcurrentHashMap<>();

        Releasing(LockStore store) {
            super(store);
        }

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            commands.forEach(command -> asked.put(command.id(), command));
            return super.execute(commands, timeout);
        }

        void releaseAll(Duration timeout) {
            asked.forEach((id, command) -> super.execute(
                    List.of(new LockCommand.Release(command.name(), id, Duration.ZERO, Duration.ZERO)), timeout));
        }
    }

    /** Closing a store releases its leases. */
    static LockStore closeReleases(LockStore store) {
        return new Releasing(store) {
            @Override
            public void close() {
                releaseAll(Duration.ofSeconds(1));
                super.close();
            }
        };
    }

    static LockStore closesOnce(LockStore store) {
        AtomicBoolean closed = new AtomicBoolean();
        return new MutatedCalls(store) {
            @Override
            public void close() {
                if (closed.getAndSet(true)) {
                    throw new IllegalStateException("this store is closed already");
                }
                super.close();
            }
        };
    }

    static LockStore answersWhenClosed(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public void close() {}
        };
    }

    /** Closing a store closes the others of the process. */
    static class ClosesAll extends MutatedSpace {
        private volatile boolean closed;

        @Override
        public LockStore open() {
            return new MutatedCalls(super.open()) {
                @Override
                public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                    if (closed) {
                        throw new IllegalStateException("the pool is closed");
                    }
                    return super.execute(commands, timeout);
                }

                @Override
                public void close() {
                    closed = true;
                }
            };
        }
    }

    /** Reports its capabilities only once. */
    static LockStore losesCapabilities(LockStore store) {
        AtomicInteger asked = new AtomicInteger();
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return asked.incrementAndGet() == 1 ? super.capabilities() : Set.of();
            }
        };
    }

    static LockStore hidesItsQueue(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return Set.of(Capability.LIST);
            }
        };
    }

    /** Says that it notifies, without a queue to notify. */
    static LockStore notifiesWithoutAQueue(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return Set.of(Capability.NOTIFICATIONS, Capability.LIST);
            }
        };
    }

    /** Lists nothing, though it has not the capability to list. */
    static LockStore listsWithoutTheCapability(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Set<Capability> capabilities() {
                return Set.of(Capability.QUEUE, Capability.NOTIFICATIONS);
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return Stream.empty();
            }
        };
    }

    /** A diagnosis tries the locks, and releases them. */
    static LockStore diagnosesByReleases(LockStore store) {
        return new Releasing(store) {
            @Override
            public List<Finding> diagnose(Duration timeout) {
                releaseAll(timeout);
                return List.of();
            }
        };
    }
}
