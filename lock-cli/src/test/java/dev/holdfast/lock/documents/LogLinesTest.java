package dev.holdfast.lock.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The operations page has a row for each line that is logged at WARN or INFO, and alerts send people to lines that exist. */
class LogLinesTest {

    private static final String SOURCE = """
            package dev.holdfast.lock.jdbc;
            class Some {
                private static final Logger log = LoggerFactory.getLogger(Some.class);
                void one() {
                    log.warn(
                            "the {} of '" + name(1) + "' is \\"out\\","
                                    + " which is {}", 1, 2);
                }
                void warnOnce(String text, int number) { log.info(text, number); }
                void two() { warnOnce("two {}", 2); warnOnce("three", 3); }
            }
            """;

    @Test
    void linesOfASource_areFoundWithTheirLevelAndLogger() {
        assertThat(LogLine.ofSource("Some.java", SOURCE))
                .containsExactly(
                        new LogLine("WARN", "jdbc.Some", "the … of '…' is \"out\", which is …"),
                        new LogLine("INFO", "jdbc.Some", "two …"),
                        new LogLine("INFO", "jdbc.Some", "three"));
        assertThatThrownBy(() -> LogLine.ofSource("Some.java", SOURCE + "log.atWarn().log()"))
                .hasMessageContaining("Some.java");
    }

    @Test
    void row_describesItsLineAlone() {
        LogLine line = new LogLine("WARN", "leases", "the lease of … with token … is lost: …. Stop");

        assertThat(new LogLine("WARN", "leases", "the lease of … is lost").describes(line))
                .isTrue();
        assertThat(new LogLine("WARN", "leases", "is lost: … the lease of").describes(line))
                .isFalse();
        assertThat(new LogLine("INFO", "leases", "the lease of … is lost").describes(line))
                .isFalse();
        assertThat(new LogLine("WARN", "commands", "the lease of … is lost").describes(line))
                .isFalse();
    }

    @Test
    void operationsPage_hasOneRowForEachLineAtWarnAndInfo() throws IOException {
        List<LogLine> rows = rows();
        List<LogLine> lines = LogLine.ofMainCode();
        List<String> wrong = new ArrayList<>();
        for (LogLine line : lines) {
            List<LogLine> found =
                    rows.stream().filter(row -> row.describes(line)).toList();
            if (found.size() != 1 && (found.size() > 1 || !line.level().equals("ERROR"))) {
                wrong.add(found.size() + " rows for " + line);
            }
        }
        for (LogLine row : rows) {
            if (lines.stream().noneMatch(row::describes)) {
                wrong.add("no line for " + row);
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(lines).hasSizeGreaterThan(40);
    }

    @Test
    void alerts_sendPeopleToLinesThatAreLogged() throws IOException {
        String alerts = Document.textOf(Document.ROOT.resolve("docs/monitoring/holdfast-alerts.yaml"));
        List<String> quoted = Pattern.compile("\"([^\"]+)\"\\s+in the log")
                .matcher(alerts)
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(quoted).hasSizeGreaterThanOrEqualTo(4);
        assertThat(quoted)
                .allSatisfy(
                        text -> assertThat(rows()).extracting(LogLine::message).anyMatch(row -> row.contains(text)));
        assertThat(Pattern.compile("dev\\.holdfast\\.lock\\.(\\w+)")
                        .matcher(alerts)
                        .results())
                .extracting(found -> found.group(1))
                .isSubsetOf(rows().stream().map(LogLine::logger).toList());
    }

    private static List<LogLine> rows() {
        return LogLine.ofRows(Document.named("docs/operations.md"));
    }
}
