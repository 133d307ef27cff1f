package dev.holdfast.lock.cli.top;

import dev.holdfast.lock.admin.FailoverStatus;
import dev.holdfast.lock.cli.output.EscapedText;
import dev.holdfast.lock.cli.output.FailoverText;
import dev.holdfast.lock.cli.output.LockLine;
import dev.holdfast.lock.cli.output.OwnerText;
import dev.holdfast.lock.cli.output.Table;
import dev.holdfast.lock.cli.output.TextWidth;
import dev.holdfast.lock.cli.output.TimeText;
import dev.holdfast.lock.spi.LockInfo;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A snapshot for people.
 *
 * @param snapshot the locks
 * @param renewals the renewals seen up to this snapshot
 * @param zone the zone of the times shown
 */
public record TopPage(Snapshot snapshot, Renewals renewals, ZoneId zone) {

    private static final List<String> TITLES = List.of("NAME", "HOLDER", "AGE", "LEFT", "WAITERS", "RENEWED");
    /** The columns with text of any length. */
    private static final Set<Integer> FLEXIBLE = Set.of(0, 1);

    private static final String KEYS = "q quit   b blockers   sort: n name, a age, l left, w waiters, r renewed";

    /** What the page is about. */
    public enum Subject {
        /** Each lock with its holders. */
        LOCKS,
        /** Each lock with waiters: a sentence for each holder, and the waiters. */
        BLOCKED
    }

    /** The whole page. Text that is too wide continues on the next line, so that it can be copied. */
    public List<String> lines(Subject subject, TopOrder order, int width) {
        List<String> lines = new ArrayList<>(summary(width));
        lines.add("");
        if (subject == Subject.BLOCKED) {
            blocked(order).forEach(text -> lines.addAll(wrapped(text, width)));
        } else {
            List<List<String>> rows = rows(order);
            Table table = new Table(rows, FLEXIBLE, width);
            rows.forEach(row -> lines.addAll(table.row(row)));
        }
        return lines;
    }

    /** As much of the page as fits on a screen. Text that is too wide is cut. The last line names the keys, or is the message. */
    public List<String> screen(Subject subject, TopOrder order, int width, int height, String message) {
        List<String> lines = new ArrayList<>(summary(width));
        lines.add("");
        if (subject == Subject.BLOCKED) {
            lines.addAll(blocked(order));
        } else {
            List<List<String>> rows = rows(order);
            Table table = new Table(rows.subList(0, Math.min(rows.size(), Math.max(height, 1))), FLEXIBLE, width);
            rows.forEach(row -> lines.add(table.cutRow(row)));
        }
        List<String> screen = fitted(lines, height, message.isEmpty() ? KEYS : message);
        screen.replaceAll(line -> TextWidth.cut(line, width));
        return screen;
    }

    /** Cuts or fills up the page, so that its last line is the bottom of the screen. */
    private static List<String> fitted(List<String> lines, int height, String bottom) {
        int room = Math.max(height - 1, 1);
        List<String> screen = new ArrayList<>(lines.subList(0, Math.min(lines.size(), room)));
        if (lines.size() > room) {
            screen.set(room - 1, "… " + (lines.size() - room + 1) + " more lines: lock top PREFIX shows fewer locks");
        }
        while (screen.size() < room) {
            screen.add("");
        }
        screen.add(bottom);
        return screen;
    }

    private TimeText times() {
        return new TimeText(snapshot::at, zone);
    }

    private List<String> summary(int width) {
        List<LockInfo> locks = snapshot.locks();
        long holders = locks.stream().mapToLong(lock -> lock.holders().size()).sum();
        long waiters = locks.stream().mapToLong(lock -> lock.waiters().size()).sum();
        long behind = locks.stream()
                .flatMap(lock -> lock.holders().stream())
                .filter(holder -> renewals.behind(holder).isPresent())
                .count();
        List<String> lines = new ArrayList<>();
        lines.add(times().time(snapshot.at()) + "  " + count(locks.size(), "lock") + ", " + count(holders, "holder")
                + ", " + count(waiters, "waiter") + ", " + count(behind, "renewal") + " behind");
        if (snapshot.failover().isEmpty()) {
            lines.add(snapshot.provider() + " grants all locks");
            return lines;
        }
        FailoverStatus status = snapshot.failover().get();
        lines.addAll(Table.paragraph("grants         ", FailoverText.grants(status), width));
        lines.addAll(Table.paragraph(
                "last failover  ",
                times().past(status.since()) + ", epoch " + status.epoch() + ": "
                        + EscapedText.ofMessage(status.cause()),
                width));
        return lines;
    }

    private static String count(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private List<List<String>> rows(TopOrder order) {
        List<List<String>> rows = new ArrayList<>(List.of(TITLES));
        for (LockInfo lock : order.sorted(snapshot.locks(), renewals)) {
            String waiters = Integer.toString(lock.waiters().size());
            for (LockLine row : LockLine.holders(lock)) {
                rows.add(cells(row, waiters));
                waiters = "";
            }
        }
        return rows;
    }

    private List<String> cells(LockLine row, String waiters) {
        return List.of(
                row.label(),
                row.party(),
                row.holder().map(LockInfo.Holder::since).map(times()::age).orElse(""),
                row.until().map(times()::left).orElse(""),
                waiters,
                row.holder().map(this::renewed).orElse(""));
    }

    private String renewed(LockInfo.Holder holder) {
        return renewals.behind(holder)
                .map(behind -> "not for " + TimeText.rough(behind))
                .or(() -> renewals.sinceRenewal(holder).map(since -> TimeText.rough(since) + " ago"))
                .orElse("");
    }

    /** The locks with waiters: all that blocks each, and the waiters in the order of the queue. */
    private List<String> blocked(TopOrder order) {
        List<String> lines = new ArrayList<>();
        for (LockInfo lock : order.sorted(snapshot.locks(), renewals)) {
            if (lock.waiters().isEmpty()) {
                continue;
            }
            String name = EscapedText.ofName(lock.name().value());
            for (LockInfo.Holder holder : lock.holders()) {
                lines.add(
                        name + " is held by " + OwnerText.inWords(holder) + ", since " + times().past(holder.since()));
            }
            lock.minimumHoldUntil()
                    .ifPresent(kept -> lines.add(name + " is kept by a minimum hold until " + times().future(kept)));
            if (lock.holders().isEmpty() && lock.minimumHoldUntil().isEmpty()) {
                lines.add(name + " is free, and about to be granted to its first waiter");
            }
            for (LockLine waiter : LockLine.waiters(lock)) {
                lines.add(waiter.label() + "  " + waiter.party());
            }
        }
        if (lines.isEmpty()) {
            lines.add("no lock is waited for");
        }
        return lines;
    }

    private static List<String> wrapped(String text, int width) {
        return text.startsWith(" ") ? List.of(text) : Table.paragraph("", text, width);
    }
}
