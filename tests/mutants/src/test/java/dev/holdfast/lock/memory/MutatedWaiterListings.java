package dev.holdfast.lock.memory;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Mutants whose listings are wrong about some locks only, or in an outage. */
final class MutatedWaiterListings {

    /** The number of commands on a lock. */
    private static final Map<LockName, Integer> UNDER_WAY = new ConcurrentHashMap<>();

    private MutatedWaiterListings() {}

    private static LockStore shownOtherwise(LockStore store, UnaryOperator<LockInfo> otherwise) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).map(otherwise);
            }
        };
    }

    static LockStore hideThoseOfKeptLocks(LockStore store) {
        return shownOtherwise(
                store,
                info -> info.minimumHoldUntil().isPresent()
                        ? new LockInfo(info.name(), info.holders(), info.minimumHoldUntil(), List.of())
                        : info);
    }

    /** Lists all holders with the times of the latest. */
    static LockStore showOneLease(LockStore store) {
        return shownOtherwise(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders().stream()
                                .map(holder -> withTimesOf(
                                        info.holders().get(info.holders().size() - 1), holder))
                                .toList(),
                        info.minimumHoldUntil(),
                        info.waiters()));
    }

    private static LockInfo.Holder withTimesOf(LockInfo.Holder latest, LockInfo.Holder holder) {
        return new LockInfo.Holder(
                holder.id(), holder.owner(), holder.token(), latest.since(), latest.until(), holder.share());
    }

    /** Lists the last holder, or the last minimum hold, of a free lock with waiters. */
    static LockStore showTheLastHolder(LockStore store) {
        Map<LockName, LockInfo.Holder> holders = new ConcurrentHashMap<>();
        return shownOtherwise(store, info -> {
            info.holder().ifPresent(holder -> holders.put(info.name(), holder));
            LockInfo.Holder last = holders.get(info.name());
            boolean expired = last != null && last.until().isBefore(Instant.now());
            return info.holder().isEmpty() && expired
                    ? new LockInfo(info.name(), List.of(last), info.minimumHoldUntil(), info.waiters())
                    : info;
        });
    }

    static LockStore showTheLastMinimumHold(LockStore store) {
        Map<LockName, Instant> ends = new ConcurrentHashMap<>();
        return shownOtherwise(store, info -> {
            info.minimumHoldUntil().ifPresent(end -> ends.put(info.name(), end));
            return info.holder().isPresent()
                    ? info
                    : new LockInfo(
                            info.name(), info.holders(), Optional.ofNullable(ends.get(info.name())), info.waiters());
        });
    }

    /** Lists the owner text of the holder's first acquire, or of the first waiter, for all waiters. */
    static LockStore showOneOwner(LockStore store) {
        return shownOtherwise(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders(),
                        info.minimumHoldUntil(),
                        info.waiters().stream()
                                .map(waiter -> info.waiters().get(0))
                                .toList()));
    }

    /** Compares the prefix as a database does that folds case. */
    static LockStore foldTheCaseOfThePrefix(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list("", timeout)
                        .filter(info -> info.name().value().regionMatches(true, 0, prefix, 0, prefix.length()));
            }
        };
    }

    static LockStore cutNames(LockStore store) {
        return shownOtherwise(store, info -> {
            String name = info.name().value();
            return name.codePointCount(0, name.length()) <= 64
                    ? info
                    : new LockInfo(
                            new LockName(name.substring(0, name.offsetByCodePoints(0, 64))),
                            info.holders(),
                            info.minimumHoldUntil(),
                            info.waiters());
        });
    }

    /** Reads a line for each holder, so that one whose owner text has several is lost. */
    static LockStore hideOwnersOfSeveralLines(LockStore store) {
        return shownOtherwise(
                store,
                info -> new LockInfo(
                        info.name(),
                        info.holders().stream()
                                .filter(holder -> !holder.owner().contains("\n"))
                                .toList(),
                        info.minimumHoldUntil(),
                        info.waiters()));
    }

    /** Lists names as they are written in a statement. */
    static LockStore doubleQuotesInNames(LockStore store) {
        return shownOtherwise(
                store,
                info -> new LockInfo(
                        new LockName(info.name().value().replace("'", "''")),
                        info.holders(),
                        info.minimumHoldUntil(),
                        info.waiters()));
    }

    /** Lists one lock of ten without its holder. */
    static LockStore hideSomeHolders(LockStore store) {
        AtomicInteger count = new AtomicInteger();
        return shownOtherwise(
                store,
                info -> count.incrementAndGet() % 10 == 0
                        ? new LockInfo(info.name(), List.of(), Optional.of(Instant.now()), info.waiters())
                        : info);
    }

    /** A listing ends when the connection breaks. */
    static LockStore endInAnOutage(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                Stream<LockInfo> shown = super.list(prefix, timeout);
                Iterator<LockInfo> reader = shown.iterator();
                List<LockInfo> next = new ArrayList<>();
                return Stream.generate(() -> 0)
                        .takeWhile(any -> {
                            next.clear();
                            try {
                                if (reader.hasNext()) {
                                    next.add(reader.next());
                                }
                            } catch (LockUnavailableException e) {
                                return false;
                            }
                            return !next.isEmpty();
                        })
                        .map(any -> next.get(0))
                        .onClose(shown::close);
            }
        };
    }

    static LockStore ignoreTheTimeout(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, Duration.ofDays(1));
            }
        };
    }

    /** A listing that is not read to its end does not give back its connection. */
    static LockStore leakConnections(LockStore store) {
        Semaphore pool = new Semaphore(8);
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                if (!pool.tryAcquire()) {
                    throw new LockUnavailableException("no connection is left in the pool", null);
                }
                Iterator<LockInfo> reader = super.list(prefix, timeout).iterator();
                return Stream.generate(() -> 0)
                        .takeWhile(any -> {
                            if (!reader.hasNext()) {
                                pool.release();
                            }
                            return reader.hasNext();
                        })
                        .map(any -> reader.next());
            }
        };
    }

    /** Lists dead waiters behind living ones. */
    static LockStore showTheDead(LockStore store) {
        Map<LockName, List<LockInfo.Waiter>> waiters = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                for (int at = 0; at < commands.size(); at++) {
                    LockCommand command = commands.get(at);
                    List<LockInfo.Waiter> all = waiters.computeIfAbsent(command.name(), any -> new ArrayList<>());
                    synchronized (all) {
                        if (replies.get(at) instanceof LockReply.Queued
                                && command instanceof LockCommand.Acquire acquire
                                && !all.contains(new LockInfo.Waiter(acquire.owner(), acquire.share()))) {
                            all.add(new LockInfo.Waiter(acquire.owner(), acquire.share()));
                        } else if (command instanceof LockCommand.Release) {
                            all.clear();
                        }
                    }
                }
                return replies;
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).map(info -> {
                    List<LockInfo.Waiter> all = waiters.getOrDefault(info.name(), List.of());
                    synchronized (all) {
                        return all.containsAll(info.waiters())
                                        && !info.waiters().isEmpty()
                                ? new LockInfo(info.name(), info.holders(), info.minimumHoldUntil(), all)
                                : info;
                    }
                });
            }
        };
    }

    /** Those of locks which a command is about to read or write are left out. */
    static LockStore skipLockedOnes(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                commands.forEach(command -> UNDER_WAY.merge(command.name(), 1, Integer::sum));
                try {
                    LockSupport.parkNanos(1_000_000);
                    return super.execute(commands, timeout);
                } finally {
                    commands.forEach(command -> UNDER_WAY.merge(command.name(), -1, Integer::sum));
                }
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).filter(info -> UNDER_WAY.getOrDefault(info.name(), 0) == 0);
            }
        };
    }
}
