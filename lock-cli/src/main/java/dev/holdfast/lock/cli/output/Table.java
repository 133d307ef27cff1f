package dev.holdfast.lock.cli.output;

import java.io.IOException;
import java.lang.Character.UnicodeScript;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Aligned columns on a page of {@value #PAGE_WIDTH} columns, sized by the first rows. A cell that is slightly too long for its
 * column pushes the rest of its row aside; a longer one gets a line of its own, in one piece so that it can be copied, and the
 * row continues below.
 *
 * <p>picocli's {@code TextTable} serves none of this: it pads by UTF-16 units, so wide characters shift the columns; it breaks
 * long names and URLs; and it interprets {@code @|...|@} in the text of a cell as markup.
 */
public final class Table {

    /** The width of a page. */
    public static final int PAGE_WIDTH = 100;

    private static final String GAP = "  ";
    private static final int MIN_WIDTH = 12;
    private static final int MAX_SHIFT = 8;

    private static final int FIRST_EMOJI = 0x1F300;
    private static final int LAST_EMOJI = 0x1FAFF;

    private final int[] widths;

    /** Takes a line. */
    @FunctionalInterface
    public interface LineOutput {
        void print(String line) throws IOException;
    }

    /**
     * Sizes the columns.
     *
     * @param firstRows the titles and some rows, all with the same number of cells
     * @param flexible the columns, counted from 0, that are narrowed if the page is too narrow
     */
    public Table(List<List<String>> firstRows, Set<Integer> flexible) {
        widths = new int[firstRows.get(0).size()];
        for (List<String> row : firstRows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        int gaps = GAP.length() * (widths.length - 1);
        int widest = widest(flexible);
        while (Arrays.stream(widths).sum() + gaps > PAGE_WIDTH && widths[widest] > MIN_WIDTH) {
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
    List<String> row(List<String> cells) {
        List<String> lines = row(cells, MAX_SHIFT);
        boolean fits = lines.stream().allMatch(line -> width(line) <= PAGE_WIDTH);
        return fits ? lines : row(cells, 0);
    }

    private List<String> row(List<String> cells, int maxShift) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int nextColumn = 0;
        for (int i = 0; i < widths.length; i++) {
            line.append(cells.get(i));
            nextColumn += widths[i] + GAP.length();
            int room = nextColumn - GAP.length() - width(line.toString());
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
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder(heading);
        String indent = " ".repeat(width(heading));
        boolean atStart = true;
        for (String word : text.strip().split("\\s+", -1)) {
            if (!atStart && width(line.toString()) + 1 + width(word) > PAGE_WIDTH) {
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

    /** The number of columns in which a terminal shows a text; off by a little in some corners of Unicode. */
    private static int width(String text) {
        return text.codePoints().map(Table::width).sum();
    }

    private static int width(int codePoint) {
        int type = Character.getType(codePoint);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
            return 0;
        }
        return isWide(codePoint) ? 2 : 1;
    }

    private static boolean isWide(int codePoint) {
        if (codePoint < 0x1100) {
            return false;
        }
        return (codePoint >= FIRST_EMOJI && codePoint <= LAST_EMOJI)
                || switch (UnicodeScript.of(codePoint)) {
                    case HAN, HIRAGANA, KATAKANA, HANGUL -> true;
                    default -> false;
                };
    }
}
