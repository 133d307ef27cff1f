package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Locks for people: a row for each lock, and a row below it for each waiter.
 *
 * @param times formats the times
 */
public record LockTable(TimeText times) {

    /** The number of locks that size the columns; the others need not be in memory at the same time. */
    private static final int SIZING_LOCKS = 100;

    private static final List<String> TITLES = List.of("NAME", "HOLDER", "SINCE", "UNTIL", "TOKEN");
    /** The columns whose text, of any length, other parties choose. */
    private static final Set<Integer> FLEXIBLE = Set.of(0, 1);

    private static final String FREE = "(free)";
    private static final String MINIMUM_HOLD = "(minimum hold)";

    /** Prints the locks, without reading far ahead of the printed line. */
    public void print(Iterator<LockInfo> locks, Table.LineOutput out) throws IOException {
        List<List<String>> first = new ArrayList<>(List.of(TITLES));
        for (int i = 0; i < SIZING_LOCKS && locks.hasNext(); i++) {
            first.addAll(rows(locks.next()));
        }
        Table table = new Table(first, FLEXIBLE);
        table.print(first, out);
        while (locks.hasNext()) {
            table.print(rows(locks.next()), out);
        }
    }

    private List<List<String>> rows(LockInfo lock) {
        List<List<String>> rows = new ArrayList<>();
        String name = EscapedText.ofName(lock.name().value());
        if (lock.holder().isPresent()) {
            LockInfo.Holder holder = lock.holder().get();
            rows.add(List.of(
                    name,
                    EscapedText.ofName(holder.owner()),
                    times.past(holder.since()),
                    times.future(holder.until()),
                    Long.toString(holder.fencingToken())));
        } else {
            Instant kept = lock.minimumHoldUntil().orElse(null);
            rows.add(List.of(name, kept == null ? FREE : MINIMUM_HOLD, "", kept == null ? "" : times.future(kept), ""));
        }
        int place = 0;
        for (String waiter : lock.waitingOwners()) {
            place++;
            rows.add(List.of("  waiting " + place, EscapedText.ofName(waiter), "", "", ""));
        }
        return rows;
    }
}
