package dev.holdfast.lock.cli.output;

import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Locks for people: a row for each lock, and rows below it for further holders and for each waiter.
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
        for (LockInfo.Holder holder : lock.holders()) {
            rows.add(List.of(
                    rows.isEmpty() ? name : "  holder " + (rows.size() + 1),
                    OwnerText.of(holder),
                    times.past(holder.since()),
                    times.future(holder.until()),
                    Long.toString(holder.fencingToken())));
        }
        lock.minimumHoldUntil()
                .ifPresent(kept ->
                        rows.add(List.of(rows.isEmpty() ? name : "  kept", MINIMUM_HOLD, "", times.future(kept), "")));
        if (rows.isEmpty()) {
            rows.add(List.of(name, FREE, "", "", ""));
        }
        int place = 0;
        for (LockInfo.Waiter waiter : lock.waiters()) {
            place++;
            rows.add(List.of("  waiting " + place, OwnerText.of(waiter), "", "", ""));
        }
        return rows;
    }
}
