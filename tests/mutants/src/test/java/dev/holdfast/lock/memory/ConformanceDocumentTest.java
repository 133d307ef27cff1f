package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code docs/conformance.md} has each sentence of the contract, with rules that demand it and mutants that contradict it. */
@Tag("first-build")
class ConformanceDocumentTest {

    private static final Path SPI = Path.of("../../lock-api/src/main/java/dev/holdfast/lock/spi");

    private static final String NO_RULE = "–";

    private static final List<String> RULES =
            Stream.of(Rule.values()).map(Rule::id).toList();

    private static final Pattern CODE = Pattern.compile("\\{@code\\s+([^}]*)\\}");

    /** A link or a value, perhaps with a label. */
    private static final Pattern LINK = Pattern.compile("\\{@\\w+\\s+#?([^}\\s]+)\\s*([^}]*)\\}");

    /** A row with its three cells, as text without code marks. */
    private record Row(String first, List<String> rules, String last) {

        static Row parse(String line) {
            String[] cells = line.replace("`", "").split("\\s*\\|\\s*", -1);
            return new Row(cells[1], List.of(cells[2].split(", ")), cells[3]);
        }

        boolean hasRules() {
            return !rules.contains(NO_RULE);
        }

        /** Rules that do not exist, and mutants that break none of its rules. */
        List<String> faults() {
            if (!hasRules()) {
                return last.isBlank() ? List.of("neither a rule nor a reason: " + first) : List.of();
            }
            return Stream.concat(
                            rules.stream()
                                    .filter(id -> !RULES.contains(id))
                                    .map(id -> "there is no rule " + id + ": " + first),
                            Stream.of(last.split(", "))
                                    .filter(mutant -> Collections.disjoint(brokenBy(mutant), rules))
                                    .map(mutant -> mutant + " breaks none of " + rules + ": " + first))
                    .toList();
        }

        private static List<String> brokenBy(String mutant) {
            return Stream.of(Mutant.values())
                    .filter(each -> each.name().equals(mutant))
                    .flatMap(each -> each.broken().stream())
                    .map(Rule::id)
                    .toList();
        }
    }

    @Test
    void document_hasEachSentenceOfTheContract() throws IOException {
        for (Map.Entry<String, List<Row>> section : sections().entrySet()) {
            assertThat(section.getValue())
                    .as("the sentences of %s", section.getKey())
                    .extracting(Row::first)
                    .containsExactlyElementsOf(sentencesOf(section.getKey()));
        }
    }

    @Test
    void document_hasATableOfEachTypeThatAStoreImplementsOrReads() throws IOException {
        assertThat(sections().keySet())
                .contains(
                        "LockStore",
                        "LockCommand",
                        "LockReply",
                        "LockProvider",
                        "Notification",
                        "Capability",
                        "LockInfo");
    }

    @Test
    void row_hasRulesAndMutantsThatBreakOneOfThem_orAReason() throws IOException {
        List<String> wrong = new ArrayList<>();
        sections().values().forEach(rows -> rows.forEach(row -> wrong.addAll(row.faults())));
        assertThat(wrong).isEmpty();
    }

    @Test
    void rule_isDemandedByASentence_orHasAReason() throws IOException {
        List<String> demanded = new ArrayList<>();
        sections().values().forEach(rows -> rows.forEach(row -> demanded.addAll(row.rules())));
        rowsAfter("## Rules that no sentence demands").forEach(row -> demanded.add(row.first()));
        assertThat(demanded).containsAll(RULES);
    }

    /** The rows of each type of the contract. */
    private static Map<String, List<Row>> sections() throws IOException {
        Map<String, List<Row>> sections = new LinkedHashMap<>();
        for (String line : lines()) {
            if (line.matches("## \\w+")) {
                sections.put(line.substring(3), rowsAfter(line));
            }
        }
        return sections;
    }

    private static List<Row> rowsAfter(String heading) throws IOException {
        return lines().stream()
                .dropWhile(line -> !line.equals(heading))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("| "))
                .skip(2)
                .map(Row::parse)
                .toList();
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(Path.of("../../docs/conformance.md"));
    }

    /** The sentences of a type's javadoc, each parameter and exception by itself. */
    private static List<String> sentencesOf(String type) throws IOException {
        try (Stream<Path> files = Files.walk(SPI)) {
            Path file = files.filter(each -> each.endsWith(type + ".java"))
                    .findFirst()
                    .orElseThrow();
            return Pattern.compile("/\\*\\*.*?\\*/", Pattern.DOTALL)
                    .matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .map(ConformanceDocumentTest::text)
                    .flatMap(text -> Stream.of(text.split("(?=@(?:param|return|throws)\\b)|(?<=[.])\\s+(?=[A-Z0-9])")))
                    .map(String::strip)
                    .filter(sentence -> !sentence.isEmpty())
                    .toList();
        }
    }

    /** Without the marks of a comment, of HTML and of javadoc's tags. */
    private static String text(String comment) {
        String text = comment.replaceAll("(?m)^\\s*/?\\*+/?|\\*/", "").replaceAll("</?[a-z]+>", " ");
        text = CODE.matcher(text).replaceAll(tag -> Matcher.quoteReplacement(tag.group(1)));
        text = LINK.matcher(text).replaceAll(tag -> tag.group(tag.group(2).isEmpty() ? 1 : 2));
        return text.strip().replaceAll("\\s+", " ");
    }
}
