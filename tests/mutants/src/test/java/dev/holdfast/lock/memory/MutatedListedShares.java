package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

/** Mutants whose listings mix up the shares of a lock. */
final class MutatedListedShares {

    private MutatedListedShares() {}

    /** Lists the latest grant as that of each holder. */
    static LockStore showTheLatestGrant(LockStore store) {
        return byTheLatest(
                store,
                (latest, holder) -> new LockInfo.Holder(
                        holder.id(), holder.owner(), holder.token(), latest.since(), holder.until(), holder.share()));
    }

    /** Lists the owner of the latest grant as that of each holder. */
    static LockStore showTheLatestOwner(LockStore store) {
        return byTheLatest(
                store,
                (latest, holder) -> new LockInfo.Holder(
                        holder.id(), latest.owner(), holder.token(), holder.since(), holder.until(), holder.share()));
    }

    /** @param mixed the latest holder and each of them */
    private static LockStore byTheLatest(LockStore store, BinaryOperator<LockInfo.Holder> mixed) {
        return new MutatedCalls(store) {
            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                return super.list(prefix, timeout)
                        .map(info -> new LockInfo(
                                info.name(),
                                info.holders().stream()
                                        .map(holder -> mixed.apply(
                                                info.holders()
                                                        .get(info.holders().size() - 1),
                                                holder))
                                        .toList(),
                                info.minimumHoldUntil(),
                                info.waiters()));
            }
        };
    }

    /** Lists the end of the first minimum hold. */
    static class ShowTheFirstMinimumHold extends MutatedSpace {
        private final Map<LockName, Instant> ends = new ConcurrentHashMap<>();

        @Override
        LockReply release(LockCommand.Release command, LockRecord lock, Instant now) {
            LockReply reply = super.release(command, lock, now);
            lock.leases.stream()
                    .filter(each -> !each.isHeld())
                    .map(MemoryLease::until)
                    .min(Comparator.naturalOrder())
                    .ifPresent(end -> ends.put(command.name(), end));
            return reply;
        }

        @Override
        List<LockInfo> list(String prefix) {
            return super.list(prefix).stream()
                    .map(info -> info.minimumHoldUntil().isEmpty()
                            ? info
                            : new LockInfo(
                                    info.name(), info.holders(), Optional.of(ends.get(info.name())), info.waiters()))
                    .toList();
        }
    }
}
