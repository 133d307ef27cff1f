package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Tables that are readable as they are, too. */
final class Markdown {

    /** A number, or a span, or a limit; or nothing. */
    private static final Pattern NUMBERS = Pattern.compile("([≤≥] )?-?[\\d,.]+( to [\\d,.]+)?|–?");

    private Markdown() {}

    /** @param cells rows of as many cells each, the first one of titles */
    static List<String> table(List<List<String>> cells) {
        List<List<String>> rows = cells.stream()
                .map(row -> row.stream().map(cell -> cell.replace("|", "\\|")).toList())
                .toList();
        List<String> lines = new ArrayList<>();
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        boolean[] areNumbers = new boolean[columns];
        Arrays.fill(areNumbers, true);
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(Math.max(widths[i], 2), row.get(i).length());
                areNumbers[i] &=
                        row == rows.get(0) || NUMBERS.matcher(row.get(i)).matches();
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 0; i < columns; i++) {
                String blank = " ".repeat(widths[i] - row.get(i).length());
                line.append(' ')
                        .append(areNumbers[i] ? blank + row.get(i) : row.get(i) + blank)
                        .append(" |");
            }
            lines.add(line.toString());
            if (lines.size() == 1) {
                lines.add(rule(widths, areNumbers));
            }
        }
        return lines;
    }

    private static String rule(int[] widths, boolean[] areNumbers) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < widths.length; i++) {
            line.append(' ').append("-".repeat(widths[i] - 1)).append(areNumbers[i] ? ": |" : "- |");
        }
        return line.toString();
    }
}
