package dev.holdfast.lock.cli;

import dev.holdfast.lock.cli.text.ForeignText;
import dev.holdfast.lock.cli.text.Table;
import dev.holdfast.lock.cli.text.Times;
import dev.holdfast.lock.spi.LockInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** Locks for people: a row for each, and below it a row for each that waits. */
final class LockTable {

    /** By how many locks the columns are sized; the others need not be in memory at the same time. */
    private static final int FIRST = 100;

    private static final List<String> TITLES = List.of("NAME", "HOLDER", "SINCE", "UNTIL", "TOKEN");
    /** The columns that are as wide as somebody liked. */
    private static final Set<Integer> FOREIGN = Set.of(0, 1);

    private static final String NOBODY = "(nobody)";
    private static final String KEPT = "(minimum hold)";

    private final Times times;

    LockTable(Times times) {
        this.times = times;
    }

    /** Takes a line. */
    interface Page {
        void print(String line) throws IOException;
    }

    void print(Iterator<LockInfo> locks, Page page) throws IOException {
        List<List<String>> first = new ArrayList<>(List.of(TITLES));
        for (int i = 0; i < FIRST && locks.hasNext(); i++) {
            first.addAll(rows(locks.next()));
        }
        Table table = new Table(first, FOREIGN);
        for (List<String> row : first) {
            print(table.row(row), page);
        }
        while (locks.hasNext()) {
            for (List<String> row : rows(locks.next())) {
                print(table.row(row), page);
            }
        }
    }

    private static void print(List<String> lines, Page page) throws IOException {
        for (String line : lines) {
            page.print(line);
        }
    }

    private List<List<String>> rows(LockInfo lock) {
        List<List<String>> rows = new ArrayList<>();
        String name = ForeignText.of(lock.name().value());
        if (lock.holder().isPresent()) {
            LockInfo.Holder holder = lock.holder().get();
            rows.add(List.of(
                    name,
                    ForeignText.of(holder.owner()),
                    times.past(holder.since()),
                    times.future(holder.until()),
                    Long.toString(holder.fencingToken())));
        } else {
            Instant kept = lock.keptUntil().orElse(null);
            rows.add(List.of(name, kept == null ? NOBODY : KEPT, "", kept == null ? "" : times.future(kept), ""));
        }
        int place = 0;
        for (String waiter : lock.waiters()) {
            place++;
            rows.add(List.of("  waiting " + place, ForeignText.of(waiter), "", "", ""));
        }
        return rows;
    }
}
