package dev.holdfast.lock.bench.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What happened, against one clock: a row for everybody. */
final class Chart {

    private static final int LABEL = 16;
    private static final int COLUMNS = Story.PAGE - LABEL;
    private static final int TICK_SECONDS = 5;

    private final Facts facts;
    private final List<String> lines = new ArrayList<>();

    private Chart(Facts facts) {
        this.facts = facts;
    }

    /** The lines, none wider than {@value Story#PAGE} columns. */
    static List<String> of(Facts facts) {
        Chart chart = new Chart(facts);
        chart.draw();
        return chart.lines;
    }

    private void draw() {
        char[] seconds = blank();
        for (int second = 0; second < facts.seconds(facts.end()); second += TICK_SECONDS) {
            write(seconds, column(second), "|" + second + " s");
        }
        row("", seconds);
        char[] faults = blank();
        facts.faults().forEach(fault -> faults[column(facts.seconds(fault.at()))] = fault.letter());
        row("servers", faults);
        for (Side side : Side.values()) {
            lines.add(side.title());
            facts.of(side).forEach(this::holding);
            if (side == Side.COMPOSITE) {
                reigns();
            }
            twice(side);
        }
        lines.add("");
        lines.add(". waits   # holds   x is told that it lost the lock   ! two hold at once");
        facts.faults().forEach(fault -> lines.add(fault.letter() + " " + fault.what()));
    }

    private void holding(Holding holding) {
        char[] row = blank();
        fill(row, holding.asked(), holding.from(), '.');
        fill(row, holding.from(), holding.to(), '#');
        if (holding.isLost()) {
            row[column(facts.seconds(holding.to()))] = 'x';
        }
        row("  " + holding.holder(), row);
    }

    private void reigns() {
        char[] row = blank();
        List<Reign> reigns = facts.reigns();
        for (int i = 0; i < reigns.size(); i++) {
            int from = column(facts.seconds(reigns.get(i).from()));
            int to = i + 1 < reigns.size()
                    ? column(facts.seconds(reigns.get(i + 1).from()))
                    : COLUMNS;
            String name = "|" + reigns.get(i).grants();
            write(row, from, name.length() < to - from ? name : "|-".substring(0, Math.min(2, to - from)));
        }
        row("  who grants", row);
    }

    private void twice(Side side) {
        char[] row = blank();
        if (facts.twice(side).isEmpty()) {
            write(row, 0, "(never)");
        }
        facts.twice(side).forEach(span -> fill(row, span.from(), span.to(), '!'));
        row("  two at once", row);
    }

    private void fill(char[] row, long from, long to, char with) {
        Arrays.fill(row, column(facts.seconds(from)), column(facts.seconds(to)), with);
    }

    private int column(double seconds) {
        double all = Math.max(1, facts.seconds(facts.end()));
        return (int) Math.max(0, Math.min(COLUMNS - 1.0, seconds / all * (COLUMNS - 1)));
    }

    private static char[] blank() {
        char[] row = new char[COLUMNS];
        Arrays.fill(row, ' ');
        return row;
    }

    private static void write(char[] row, int at, String text) {
        for (int i = 0; i < text.length() && at + i < row.length; i++) {
            row[at + i] = text.charAt(i);
        }
    }

    private void row(String label, char[] row) {
        lines.add(String.format(Locale.ROOT, "%-" + LABEL + "s%s", label, new String(row))
                .stripTrailing());
    }
}
