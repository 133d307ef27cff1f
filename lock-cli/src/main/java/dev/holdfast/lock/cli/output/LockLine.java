package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.spi.LockInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One line of a table about a lock: a holder, a minimum hold, or a waiter. The first line of a lock has its name.
 *
 * @param label the name, or which line it is below the first one
 * @param party the holder or waiter, or what stands in its place
 * @param holder the holder, if the line is about one
 * @param until the end of the lease or of the minimum hold
 */
public record LockLine(String label, String party, Optional<LockInfo.Holder> holder, Optional<Instant> until) {

    /** The lines of a lock: its holders, and its waiters. */
    public static List<LockLine> all(LockInfo lock) {
        List<LockLine> rows = new ArrayList<>(holders(lock));
        rows.addAll(waiters(lock));
        return rows;
    }

    /** The lines of the waiters, in the order of the queue. */
    public static List<LockLine> waiters(LockInfo lock) {
        List<LockLine> rows = new ArrayList<>();
        for (LockInfo.Waiter waiter : lock.waiters()) {
            rows.add(new LockLine(
                    "  waiting " + (rows.size() + 1), OwnerText.of(waiter), Optional.empty(), Optional.empty()));
        }
        return rows;
    }

    /** The lines about the present: holders and minimum hold; one that says so if there is neither. */
    public static List<LockLine> holders(LockInfo lock) {
        List<LockLine> rows = new ArrayList<>();
        String name = EscapedText.ofName(lock.name().value());
        for (LockInfo.Holder holder : lock.holders()) {
            rows.add(new LockLine(
                    rows.isEmpty() ? name : "  holder " + (rows.size() + 1),
                    OwnerText.of(holder),
                    Optional.of(holder),
                    Optional.of(holder.until())));
        }
        if (lock.minimumHoldUntil().isPresent()) {
            rows.add(new LockLine(
                    rows.isEmpty() ? name : "  kept", "(minimum hold)", Optional.empty(), lock.minimumHoldUntil()));
        }
        if (rows.isEmpty()) {
            rows.add(new LockLine(name, "(free)", Optional.empty(), Optional.empty()));
        }
        return rows;
    }
}
