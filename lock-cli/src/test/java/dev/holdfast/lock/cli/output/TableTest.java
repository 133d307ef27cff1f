package dev.holdfast.lock.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Columns that are aligned. */
class TableTest {

    @Test
    void row_always_alignsColumnsByWidestCell() {
        assertThat(set(List.of(
                        List.of("NAME", "HOLDER", "TOKEN"),
                        List.of("a", "812@web-4", "1"),
                        List.of("b-long", "x", ""))))
                .containsExactly("NAME    HOLDER     TOKEN", "a       812@web-4  1", "b-long  x");
    }

    @Test
    void row_whenCharactersAreWide_alignsColumnsAsTerminalShowsThem() {
        assertThat(set(List.of(List.of("東京", "x"), List.of("e\u0301", "x"), List.of("😀ab", "x"))))
                .containsExactly("東京  x", "e\u0301     x", "😀ab  x");
    }

    @Test
    void row_whenCellIsTooLong_givesItOwnLineInOnePiece() {
        String name = "n".repeat(150);
        String holder = "h".repeat(60);

        List<String> lines = set(List.of(List.of("NAME", "HOLDER", "TOKEN"), List.of(name, holder, "12345678")));

        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).isEqualTo(name);
        assertThat(lines.get(2)).matches(" {40,50}h{60}");
        assertThat(lines.get(3)).hasSize(Table.PAGE_WIDTH).endsWith(" 12345678");
        assertThat(lines.get(0).indexOf("TOKEN")).isEqualTo(lines.get(3).indexOf("12345678"));
    }

    @Test
    void row_whenLaterCellIsSlightlyLonger_shiftsItsOwnRowOnly() {
        Table table =
                new Table(List.of(List.of("AT", "HOLDER", "TOKEN"), List.of("9 s ago", "worker-1", "1")), Set.of(1));

        assertThat(table.row(List.of("11 s ago", "worker-1", "1"))).containsExactly("11 s ago  worker-1  1");
        assertThat(table.row(List.of("11 s ago", "w", "1"))).containsExactly("11 s ago  w        1");
        assertThat(table.row(List.of("much longer than that", "", "1")))
                .containsExactly("much longer than that", "                   1");
        assertThat(table.row(List.of("much longer than that", "", ""))).containsExactly("much longer than that");
    }

    @Test
    void row_whenShiftWouldLeavePage_breaksLineInstead() {
        String token = "t".repeat(85);
        Table table = new Table(List.of(List.of("NAME", "TOKEN"), List.of("n".repeat(13), token)), Set.of(0));

        assertThat(table.row(List.of("n".repeat(13), token))).containsExactly("n".repeat(13) + "  " + token);
        assertThat(table.row(List.of("n".repeat(14), token))).containsExactly("n".repeat(14), " ".repeat(15) + token);
    }

    @Test
    void paragraph_always_wrapsBetweenWordsBesideHeading() {
        String heading = "h".repeat(91);
        String indent = " ".repeat(91);

        assertThat(Table.paragraph(heading, " to be or not to be\n"))
                .containsExactly(heading + "to be or", indent + "not to be");
        assertThat(Table.paragraph(heading, "a word-that-is-longer b"))
                .containsExactly(heading + "a", indent + "word-that-is-longer", indent + "b");
    }

    private static List<String> set(List<List<String>> rows) {
        Table table = new Table(rows, Set.of(0, 1));
        return rows.stream().flatMap(row -> table.row(row).stream()).toList();
    }
}
