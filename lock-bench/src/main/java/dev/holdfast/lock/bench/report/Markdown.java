package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Tables that are readable as they are, too. */
final class Markdown {

    private Markdown() {}

    /** @param rows of as many cells each, the first one of titles; all columns but the first hold numbers */
    static List<String> table(List<List<String>> rows) {
        List<String> lines = new ArrayList<>();
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(Math.max(widths[i], 2), row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 0; i < columns; i++) {
                String blank = " ".repeat(widths[i] - row.get(i).length());
                line.append(' ')
                        .append(i == 0 ? row.get(i) + blank : blank + row.get(i))
                        .append(" |");
            }
            lines.add(line.toString());
            if (lines.size() == 1) {
                lines.add(rule(widths));
            }
        }
        return lines;
    }

    private static String rule(int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            line.append(' ').append("-".repeat(widths[i] - 1)).append(i == 0 ? "- |" : ": |");
        }
        return line.toString();
    }
}
