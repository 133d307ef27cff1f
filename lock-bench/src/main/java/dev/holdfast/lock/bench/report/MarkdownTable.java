package dev.holdfast.lock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A table in Markdown, aligned so that it is readable as plain text, too. */
final class MarkdownTable {

    /** A number, a range or a limit; or an empty cell. */
    private static final Pattern NUMBER = Pattern.compile("([≤≥] )?-?[\\d,.]+( to [\\d,.]+)?|–?");

    private final List<List<String>> rows = new ArrayList<>();

    MarkdownTable(List<String> header) {
        add(header);
    }

    void add(List<String> row) {
        rows.add(row.stream().map(cell -> cell.replace("|", "\\|")).toList());
    }

    boolean hasRows() {
        return rows.size() > 1;
    }

    List<String> lines() {
        List<StringBuilder> lines = new ArrayList<>();
        IntStream.rangeClosed(0, rows.size()).forEach(line -> lines.add(new StringBuilder("|")));
        for (int i = 0; i < rows.get(0).size(); i++) {
            int column = i;
            List<String> cells = rows.stream().map(row -> row.get(column)).toList();
            int width =
                    Math.max(2, cells.stream().mapToInt(String::length).max().orElseThrow());
            boolean isNumeric =
                    cells.stream().skip(1).allMatch(cell -> NUMBER.matcher(cell).matches());
            List<String> aligned = new ArrayList<>(cells.stream()
                    .map(cell -> isNumeric
                            ? " ".repeat(width - cell.length()) + cell
                            : cell + " ".repeat(width - cell.length()))
                    .toList());
            aligned.add(1, "-".repeat(width - 1) + (isNumeric ? ":" : "-"));
            for (int line = 0; line < lines.size(); line++) {
                lines.get(line).append(' ').append(aligned.get(line)).append(" |");
            }
        }
        return lines.stream().map(StringBuilder::toString).toList();
    }
}
