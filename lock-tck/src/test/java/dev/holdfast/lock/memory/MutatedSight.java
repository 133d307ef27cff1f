package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Step;
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
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Mutants that show something else than what is, or disturb who works. */
final class MutatedSight {

    private MutatedSight() {}

    /** The end that the grant had, whatever renewals came later. */
    static LockStore showsTheFirstEnd(LockStore store) {
        Map<AcquisitionId, Instant> ends = new ConcurrentHashMap<>();
        return shownOtherwise(
                store,
                info -> withHolder(info, holder -> {
                    Instant end = ends.computeIfAbsent(holder.id(), any -> holder.until());
                    return new LockInfo.Holder(holder.id(), holder.owner(), holder.token(), holder.since(), end);
                }));
    }

    static LockStore showsTheLastFirst(LockStore store) {
        return shownOtherwise(store, info -> {
            List<String> waiters = new ArrayList<>(info.waiters());
            Collections.reverse(waiters);
            return new LockInfo(info.name(), info.holder(), info.keptUntil(), waiters);
        });
    }

    /** Whatever was once looked at. */
    static LockStore showsThePast(LockStore store) {
        Map<LockName, LockInfo> seen = new ConcurrentHashMap<>();
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> inspect(String prefix, Duration timeout) {
                super.inspect(prefix, timeout).forEach(info -> seen.put(info.name(), info));
                return seen.values().stream()
                        .filter(info -> info.name().value().startsWith(prefix))
                        .sorted(Comparator.comparing(LockInfo::name));
            }
        };
    }

    static LockStore takesThePrefixForAPattern(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> inspect(String prefix, Duration timeout) {
                Pattern like = Pattern.compile(
                        Pattern.quote(prefix).replace("%", "\\E.*\\Q").replace("_", "\\E.\\Q") + ".*");
                return super.inspect("", timeout)
                        .filter(info -> like.matcher(info.name().value()).matches());
            }
        };
    }

    static LockStore ordersByCodeUnits(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> inspect(String prefix, Duration timeout) {
                return super.inspect(prefix, timeout)
                        .sorted(Comparator.comparing(info -> info.name().value()));
            }
        };
    }

    /** Until all has been read. */
    static LockStore lookingLocks(LockStore store) {
        Semaphore turn = new Semaphore(1);
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> inspect(String prefix, Duration timeout) {
                turn.acquireUninterruptibly();
                return super.inspect(prefix, timeout).onClose(turn::release);
            }

            @Override
            public List<Answer> apply(List<Step> steps, Duration timeout) {
                turn.acquireUninterruptibly();
                try {
                    return super.apply(steps, timeout);
                } finally {
                    turn.release();
                }
            }
        };
    }

    /** A number of the row, say. */
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
                                holder.until())));
    }

    /** As if the last holder held it until then. */
    static LockStore showsKeptAsHeld(LockStore store) {
        Map<LockName, LockInfo.Holder> last = new ConcurrentHashMap<>();
        return shownOtherwise(store, info -> {
            info.holder().ifPresent(holder -> last.put(info.name(), holder));
            LockInfo.Holder holder = last.get(info.name());
            return info.keptUntil().isEmpty() || holder == null
                    ? info
                    : new LockInfo(info.name(), Optional.of(holder), Optional.empty(), info.waiters());
        });
    }

    private static LockStore shownOtherwise(LockStore store, UnaryOperator<LockInfo> otherwise) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> inspect(String prefix, Duration timeout) {
                return super.inspect(prefix, timeout).map(otherwise);
            }
        };
    }

    private static LockInfo withHolder(LockInfo info, UnaryOperator<LockInfo.Holder> otherwise) {
        return new LockInfo(info.name(), info.holder().map(otherwise), info.keptUntil(), info.waiters());
    }
}
