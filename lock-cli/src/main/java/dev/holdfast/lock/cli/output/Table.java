package dev.holdfast.lock.cli.output;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Aligned columns on a page, sized by the first rows. A cell that is slightly too long for its column pushes the rest of its row
 * aside; a longer one gets a line of its own, in one piece so that it can be copied, and the row continues below. Where each row
 * has one line, as on a screen, the cell is cut.
 *
 * <p>picocli's {@code TextTable} serves none of this: it pads by UTF-16 units, so wide characters shift the columns; it breaks
 * long names and URLs; and it interprets {@code @|...|@} in the text of a cell as markup.
 */
public final class Table {

    /** The width of a page, unless another one is given. */
    public static final int PAGE_WIDTH = 100;

    private static final String GAP = "  ";
    private static final int MIN_WIDTH = 12;
    private static final int MAX_SHIFT = 8;

    private final int[] widths;
    private final int pageWidth;

    /** Takes a line. */
    @FunctionalInterface
    public interface LineOutput {
        void print(String line) throws IOException;
    }

    /** Sizes the columns on a page of {@value #PAGE_WIDTH} columns. */
    public Table(List<List<String>> firstRows, Set<Integer> flexible) {
        this(firstRows, flexible, PAGE_WIDTH);
    }

    /**
     * Sizes the columns.
     *
     * @param firstRows the titles and some rows, all with the same number of cells
     * @param flexible the columns, counted from 0, that are narrowed if the page is too narrow
     */
    public Table(List<List<String>> firstRows, Set<Integer> flexible, int pageWidth) {
        this.pageWidth = pageWidth;
        widths = new int[firstRows.get(0).size()];
        for (List<String> row : firstRows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], TextWidth.of(row.get(i)));
            }
        }
        int gaps = GAP.length() * (widths.length - 1);
        int widest = widest(flexible);
        while (Arrays.stream(widths).sum() + gaps > pageWidth && widths[widest] > MIN_WIDTH) {
            widths[widest]--;
            widest = widest(flexible);
        }
    }

    private int widest(Set<Integer> columns) {
        return columns.stream().max(Comparator.comparing(i -> widths[i])).orElseThrow();
    }

    /** Prints rows. */
    public void print(List<List<String>> rows, LineOutput out) throws IOException {
        for (List<String> row : rows) {
            for (String line : row(row)) {
                out.print(line);
            }
        }
    }

    /** The lines of one row. */
    public List<String> row(List<String> cells) {
        List<String> lines = row(cells, MAX_SHIFT);
        boolean fits = lines.stream().allMatch(line -> TextWidth.of(line) <= pageWidth);
        return fits ? lines : row(cells, 0);
    }

    /** One line for a row: a cell that is too long is cut. */
    public String cutRow(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = TextWidth.cut(cells.get(i), widths[i]);
            line.append(cell).append(" ".repeat(widths[i] - TextWidth.of(cell))).append(GAP);
        }
        return TextWidth.cut(line.toString().stripTrailing(), pageWidth);
    }

    private List<String> row(List<String> cells, int maxShift) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int nextColumn = 0;
        for (int i = 0; i < widths.length; i++) {
            line.append(cells.get(i));
            nextColumn += widths[i] + GAP.length();
            int room = nextColumn - GAP.length() - TextWidth.of(line.toString());
            boolean isFollowed = cells.subList(i + 1, cells.size()).stream().anyMatch(next -> !next.isEmpty());
            if (room >= -maxShift) {
                line.append(" ".repeat(Math.max(room, 0))).append(GAP);
            } else if (isFollowed) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
                line.append(" ".repeat(nextColumn));
            }
        }
        lines.add(line.toString().stripTrailing());
        return lines;
    }

    /**
     * The lines of a heading and a text beside it, wrapped between words to the width of a page. A word that is wider than that
     * stays in one piece.
     */
    public static List<String> paragraph(String heading, String text) {
        return paragraph(heading, text, PAGE_WIDTH);
    }

    /** The same on a page of another width. */
    public static List<String> paragraph(String heading, String text, int pageWidth) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(heading);
        String indent = " ".repeat(TextWidth.of(heading));
        boolean atStart = true;
        for (String word : text.strip().split("\\s+", -1)) {
            if (!atStart && TextWidth.of(line.toString()) + 1 + TextWidth.of(word) > pageWidth) {
                lines.add(line.toString());
                line = new StringBuilder(indent);
                atStart = true;
            }
            line.append(atStart ? "" : " ").append(word);
            atStart = false;
        }
        lines.add(line.toString());
        return lines;
    }
}
