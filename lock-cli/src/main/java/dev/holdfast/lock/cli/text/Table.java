package dev.holdfast.lock.cli.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Columns below each other, on a page of {@value #PAGE} columns. They are sized by the first rows. A cell that is a little too
 * long for its column pushes the rest of its row aside; a longer one has a line of its own, in one piece, and the row goes on
 * below.
 */
public final class Table {

    /** How wide a page is. */
    public static final int PAGE = 100;

    private static final String GAP = "  ";
    private static final int NARROWEST = 12;
    private static final int A_LITTLE = 8;

    private final int[] widths;

    /**
     * Sizes the columns.
     *
     * @param first the titles and some rows, all with as many cells
     * @param flexible the columns, counted from 0, that are made narrower if the page is not wide enough
     */
    public Table(List<List<String>> first, Set<Integer> flexible) {
        widths = new int[first.get(0).size()];
        for (List<String> row : first) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Width.of(row.get(i)));
            }
        }
        int gaps = GAP.length() * (widths.length - 1);
        int widest = widest(flexible);
        while (Arrays.stream(widths).sum() + gaps > PAGE && widths[widest] > NARROWEST) {
            widths[widest]--;
            widest = widest(flexible);
        }
    }

    private int widest(Set<Integer> columns) {
        return columns.stream().max(Comparator.comparing(i -> widths[i])).orElseThrow();
    }

    /** The lines of one row. */
    public List<String> row(List<String> cells) {
        List<String> lines = row(cells, A_LITTLE);
        boolean fits = lines.stream().allMatch(line -> Width.of(line) <= PAGE);
        return fits ? lines : row(cells, 0);
    }

    /** @param aside by how much a cell may push the next one aside */
    private List<String> row(List<String> cells, int aside) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int start = 0;
        for (int i = 0; i < widths.length; i++) {
            line.append(cells.get(i));
            start += widths[i] + GAP.length();
            int room = start - GAP.length() - Width.of(line.toString());
            boolean isFollowed = cells.subList(i + 1, cells.size()).stream().anyMatch(next -> !next.isEmpty());
            if (room >= -aside) {
                line.append(" ".repeat(Math.max(room, 0))).append(GAP);
            } else if (isFollowed) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
                line.append(" ".repeat(start));
            }
        }
        lines.add(line.toString().stripTrailing());
        return lines;
    }
}
