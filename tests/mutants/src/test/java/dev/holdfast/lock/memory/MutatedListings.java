package dev.holdfast.lock.memory;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Mutants with wrong or blocking listings. */
final class MutatedListings {

    private MutatedListings() {}

    /** Lists the end that the lease had at its grant. */
    static LockStore showsTheFirstEnd(LockStore store) {
        Map<AcquisitionId, Instant> ends = new ConcurrentHashMap<>();
        return shownOtherwise(
                store,
                info -> withHolder(info, holder -> {
                    Instant end = ends.computeIfAbsent(holder.id(), any -> holder.until());
                    return new LockInfo.Holder(
                            holder.id(), holder.owner(), holder.token(), holder.since(), end, holder.share());
                }));
    }

    static LockStore showsALateEnd(LockStore store) {
        return shownOtherwise(
                store,
                info -> withTimes(
                        info, holder -> holder.since(), holder -> holder.until().plusSeconds(60)));
    }

    /** Lists times in another time zone. */
    static LockStore showsAnotherTimeZone(LockStore store) {
        Duration zone = Duration.ofHours(2);
        return shownOtherwise(
                store,
                info -> withTimes(
                        info,
                        holder -> holder.since().plus(zone),
                        holder -> holder.until().plus(zone)));
    }

    /** Lists the last renewal as the time of the grant. */
    static LockStore showsTheRenewal(LockStore store) {
        Map<AcquisitionId, Duration> lengths = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                commands.forEach(command -> {
                    if (command instanceof LockCommand.Renew renew) {
                        lengths.put(renew.id(), renew.lease());
                    }
                });
                return super.execute(commands, timeout);
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout)
                        .map(info -> withTimes(
                                info,
                                holder -> lengths.containsKey(holder.id())
                                        ? holder.until()
                                                .minus(lengths.get(holder.id()))
                                                .plusSeconds(1)
                                        : holder.since(),
                                LockInfo.Holder::until));
            }
        };
    }

    static LockStore showsAnotherToken(LockStore store) {
        return shownOtherwise(
                store,
                info -> withHolder(
                        info,
                        holder -> new LockInfo.Holder(
                                holder.id(),
                                holder.owner(),
                                holder.token() - 1,
                                holder.since(),
                                holder.until(),
                                holder.share())));
    }

    /** Lists no free lock, even if it has waiters. */
    static LockStore hidesWhatIsFree(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout)
                        .filter(info -> !info.holders().isEmpty()
                                || info.minimumHoldUntil().isPresent());
            }
        };
    }

    /** Lists dead waiters of a free lock. */
    static LockStore showsTheDead(LockStore store) {
        Map<LockName, String> waiters = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                List<LockReply> replies = super.execute(commands, timeout);
                for (int at = 0; at < commands.size(); at++) {
                    if (commands.get(at) instanceof LockCommand.Acquire acquire
                            && replies.get(at) instanceof LockReply.Queued) {
                        waiters.put(acquire.name(), acquire.owner());
                    } else {
                        waiters.remove(commands.get(at).name());
                    }
                }
                return replies;
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                List<LockInfo> living = super.list(prefix, timeout).toList();
                Stream<LockInfo> dead = waiters.entrySet().stream()
                        .filter(each ->
                                living.stream().noneMatch(info -> info.name().equals(each.getKey())))
                        .filter(each -> each.getKey().value().startsWith(prefix))
                        .map(each -> new LockInfo(
                                each.getKey(), Optional.empty(), Optional.empty(), List.of(each.getValue())));
                return Stream.concat(living.stream(), dead).sorted(Comparator.comparing(LockInfo::name));
            }
        };
    }

    static LockStore showsOnePage(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).limit(1_000);
            }
        };
    }

    /** Repeats the last lock of a page on the next. */
    static LockStore repeatsBetweenPages(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                List<LockInfo> all = super.list(prefix, timeout).toList();
                return all.size() <= 1_000
                        ? all.stream()
                        : Stream.concat(all.subList(0, 1_000).stream(), all.subList(999, all.size()).stream());
            }
        };
    }

    static LockStore showsTheLastFirst(LockStore store) {
        return shownOtherwise(store, info -> {
            List<LockInfo.Waiter> waiters = new ArrayList<>(info.waiters());
            Collections.reverse(waiters);
            return new LockInfo(info.name(), info.holders(), info.minimumHoldUntil(), waiters);
        });
    }

    /** Lists every lock that was ever listed. */
    static LockStore showsThePast(LockStore store) {
        Map<LockName, LockInfo> seen = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                super.list(prefix, timeout).forEach(info -> seen.put(info.name(), info));
                return seen.values().stream()
                        .filter(info -> info.name().value().startsWith(prefix))
                        .sorted(Comparator.comparing(LockInfo::name));
            }
        };
    }

    static LockStore usesThePrefixAsAPattern(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                Pattern like = Pattern.compile(
                        Pattern.quote(prefix).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q") + ".*");
                return super.list("", timeout)
                        .filter(info -> like.matcher(info.name().value()).matches());
            }
        };
    }

    static LockStore ordersByCodeUnits(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout)
                        .sorted(Comparator.comparing(info -> info.name().value()));
            }
        };
    }

    /** A listing blocks commands until it has been read. */
    static LockStore listingBlocksCommands(LockStore store) {
        Semaphore turn = new Semaphore(1);
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                if (!isMine(timeout)) {
                    throw new LockUnavailableException("timeout", null);
                }
                return super.list(prefix, timeout).onClose(turn::release);
            }

            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                if (!isMine(timeout)) {
                    return Collections.nCopies(
                            commands.size(), new LockReply.Unavailable(new LockUnavailableException("timeout", null)));
                }
                try {
                    return super.execute(commands, timeout);
                } finally {
                    turn.release();
                }
            }

            private boolean isMine(Duration timeout) {
                try {
                    return turn.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        };
    }

    /** Lists an id that is not the id of the grant. */
    static LockStore showsAnotherId(LockStore store) {
        return shownOtherwise(
                store,
                info -> withHolder(
                        info,
                        holder -> new LockInfo.Holder(
                                new AcquisitionId(0, holder.token()),
                                holder.owner(),
                                holder.token(),
                                holder.since(),
                                holder.until(),
                                holder.share())));
    }

    /** Lists a kept lock with its last holder. */
    static LockStore showsKeptAsHeld(LockStore store) {
        Map<LockName, LockInfo.Holder> last = new ConcurrentHashMap<>();
        return shownOtherwise(store, info -> {
            info.holder().ifPresent(holder -> last.put(info.name(), holder));
            LockInfo.Holder holder = last.get(info.name());
            return info.minimumHoldUntil().isEmpty() || holder == null
                    ? info
                    : new LockInfo(info.name(), List.of(holder), Optional.empty(), info.waiters());
        });
    }

    private static LockStore shownOtherwise(LockStore store, UnaryOperator<LockInfo> otherwise) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout).map(otherwise);
            }
        };
    }

    private static LockInfo withTimes(
            LockInfo info, Function<LockInfo.Holder, Instant> since, Function<LockInfo.Holder, Instant> until) {
        return withHolder(
                info,
                holder -> new LockInfo.Holder(
                        holder.id(),
                        holder.owner(),
                        holder.token(),
                        since.apply(holder),
                        until.apply(holder),
                        holder.share()));
    }

    private static LockInfo withHolder(LockInfo info, UnaryOperator<LockInfo.Holder> otherwise) {
        return new LockInfo(
                info.name(), info.holders().stream().map(otherwise).toList(), info.minimumHoldUntil(), info.waiters());
    }

    static LockStore showsNothingInAnOutage(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                try {
                    return super.list(prefix, timeout);
                } catch (LockUnavailableException e) {
                    return Stream.empty();
                }
            }
        };
    }
}
