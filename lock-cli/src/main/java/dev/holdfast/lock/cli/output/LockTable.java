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
        return LockLine.all(lock).stream().map(this::cells).toList();
    }

    private List<String> cells(LockLine row) {
        return List.of(
                row.label(),
                row.party(),
                row.holder().map(LockInfo.Holder::since).map(times::past).orElse(""),
                row.until().map(times::future).orElse(""),
                row.holder().map(holder -> Long.toString(holder.fencingToken())).orElse(""));
    }
}
