package dev.holdfast.lock.testing;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.Share;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a store lists of one lock, to be compared.
 *
 * @param holders each with its share and its end
 * @param keptUntil the last end of a minimum hold
 * @param waiters in the order of the queue
 */
public record ListedLock(Set<String> holders, Optional<Instant> keptUntil, List<AcquisitionId> waiters) {

    /** A lock that is not listed. */
    public static final ListedLock NONE = new ListedLock(Set.of(), Optional.empty(), List.of());

    /** The description by which a waiter is known in a listing. */
    static String owner(AcquisitionId id) {
        return id.toString();
    }

    /** What is compared of a holder. */
    public static String holder(AcquisitionId id, Share share, Instant until) {
        return id + " has " + share + " until " + until;
    }

    /** Of a lock whose waiters have the owners of {@link RandomHistory}. */
    public static ListedLock of(LockInfo lock) {
        return new ListedLock(
                lock.holders().stream()
                        .map(each -> holder(each.id(), each.share(), each.until()))
                        .collect(Collectors.toSet()),
                lock.minimumHoldUntil(),
                lock.waiters().stream()
                        .map(LockInfo.Waiter::owner)
                        .map(ListedLock::id)
                        .toList());
    }

    private static AcquisitionId id(String digits) {
        return new AcquisitionId(Long.parseUnsignedLong(digits, 0, 16, 16), Long.parseUnsignedLong(digits, 16, 32, 16));
    }
}
