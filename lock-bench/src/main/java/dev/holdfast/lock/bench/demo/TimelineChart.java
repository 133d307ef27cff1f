package dev.holdfast.lock.bench.demo;

import dev.holdfast.lock.bench.demo.Timeline.AuthorityChange;
import dev.holdfast.lock.bench.demo.Timeline.Holding;
import dev.holdfast.lock.bench.demo.Timeline.Side;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A timeline as text: time goes to the right, with a row for each process. */
final class TimelineChart {

    private static final int LABEL = 16;
    private static final int COLUMNS = TimelineRecorder.WIDTH - LABEL;
    private static final int TICK_SECONDS = 5;

    private final Timeline timeline;
    private final List<String> lines = new ArrayList<>();

    private TimelineChart(Timeline timeline) {
        this.timeline = timeline;
    }

    /** Lines of at most {@value TimelineRecorder#WIDTH} columns. */
    static List<String> of(Timeline timeline) {
        TimelineChart chart = new TimelineChart(timeline);
        chart.draw();
        return chart.lines;
    }

    private void draw() {
        char[] seconds = emptyRow();
        for (int second = 0; second < timeline.seconds(timeline.end()); second += TICK_SECONDS) {
            write(seconds, column(timeline.start() + second * 1_000_000_000L), "|" + second + " s");
        }
        add("", seconds);
        char[] faults = emptyRow();
        timeline.faults().forEach(fault -> faults[column(fault.at())] = fault.letter());
        add("servers", faults);
        for (Side side : Side.values()) {
            lines.add(side.title);
            timeline.holdings(side).forEach(this::drawHolding);
            if (side == Side.COMPOSITE) {
                drawAuthority();
            }
            drawOverlaps(side);
        }
        lines.add("");
        lines.add(". waits   # holds   x learns that its lock is lost   ! two hold the lock at once");
        timeline.faults().forEach(fault -> lines.add(fault.letter() + " " + fault.what()));
    }

    private void drawHolding(Holding holding) {
        char[] row = emptyRow();
        Arrays.fill(row, column(holding.asked()), column(holding.from()), '.');
        Arrays.fill(row, column(holding.from()), column(holding.to()), '#');
        if (holding.isLost()) {
            row[column(holding.to())] = 'x';
        }
        add("  " + holding.holder(), row);
    }

    private void drawAuthority() {
        char[] row = emptyRow();
        List<AuthorityChange> changes = timeline.authorityChanges();
        for (int i = 0; i < changes.size(); i++) {
            int from = column(changes.get(i).from());
            int end = i + 1 < changes.size() ? column(changes.get(i + 1).from()) : COLUMNS;
            String name = "|" + changes.get(i).grants();
            write(row, from, name.length() < end - from ? name : "|-".substring(0, Math.min(2, end - from)));
        }
        add("  granting store", row);
    }

    private void drawOverlaps(Side side) {
        char[] row = emptyRow();
        if (timeline.overlaps(side).isEmpty()) {
            write(row, 0, "(never)");
        }
        timeline.overlaps(side).forEach(overlap -> Arrays.fill(row, column(overlap.from()), column(overlap.to()), '!'));
        add("  two at once", row);
    }

    private int column(long instant) {
        double length = Math.max(1, timeline.seconds(timeline.end()));
        return (int) Math.max(0, Math.min(COLUMNS - 1.0, timeline.seconds(instant) / length * (COLUMNS - 1)));
    }

    private static char[] emptyRow() {
        char[] row = new char[COLUMNS];
        Arrays.fill(row, ' ');
        return row;
    }

    private static void write(char[] row, int at, String text) {
        text.getChars(0, Math.min(text.length(), row.length - at), row, at);
    }

    private void add(String label, char[] row) {
        lines.add(String.format(Locale.ROOT, "%-" + LABEL + "s%s", label, new String(row))
                .stripTrailing());
    }
}
