package dev.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests wait for conditions, are not repeated until they pass, have no upper limit of time, and say on which thread a step runs: the
 * pool that all share may have one. The exceptions are listed in {@code allowed-in-tests.txt}: a path or the beginning of one, a blank,
 * and the reason.
 */
class TestSourcesTest {

    private static final Path ALLOWED = Path.of("src/test/resources/allowed-in-tests.txt");
    private static final Pattern FORBIDDEN = Pattern.compile(String.join(
            "|",
            "(Thread|TimeUnit)\\.([A-Z]+\\.)?sleep\\(",
            "@(Repeated|Retrying)Test",
            "assertTimeout[A-Z(]",
            "isLessThan(OrEqualTo)?\\(Duration"));

    private static final Pattern ASYNCHRONOUS = Pattern.compile("(run|supply)Async\\(");

    @Test
    void test_thatSleepsOrRepeatsOrLimitsTime_isListedWithAReason() throws IOException {
        List<String> allowed;
        try (Stream<String> lines = Files.lines(ALLOWED)) {
            allowed = lines.filter(line -> !line.startsWith("#")).toList();
        }
        assertThat(allowed).as("lines without a reason").allMatch(line -> line.contains(" "));

        List<String> found = new ArrayList<>();
        for (Path file : testSources()) {
            String name = ModuleSources.ROOT.relativize(file).toString().replace('\\', '/');
            if (allowed.stream().noneMatch(line -> name.startsWith(line.split(" ", 2)[0]))) {
                look(name, Files.readString(file), found);
            }
        }
        assertThat(found).as("what tests must not use").isEmpty();
    }

    private static List<Path> testSources() throws IOException {
        List<Path> sources = new ArrayList<>(ModuleSources.of("src/test/java"));
        sources.addAll(ModuleSources.below(ModuleSources.ROOT.resolve("samples/store/src/test/java")));
        assertThat(sources).as("sources of tests").hasSizeGreaterThan(100);
        return sources;
    }

    private static void look(String name, String text, List<String> found) {
        for (Matcher each = FORBIDDEN.matcher(text); each.find(); ) {
            found.add(name + ":" + line(text, each) + ": " + each.group());
        }
        for (Matcher each = ASYNCHRONOUS.matcher(text); each.find(); ) {
            if (!hasTwoArguments(text, each.end())) {
                found.add(name + ":" + line(text, each) + ": " + each.group() + " without an executor");
            }
        }
    }

    private static long line(String text, Matcher found) {
        return text.substring(0, found.start()).lines().count();
    }

    private static boolean hasTwoArguments(String text, int first) {
        int depth = 1;
        for (int at = first; depth > 0; at++) {
            switch (text.charAt(at)) {
                case '(', '{', '[' -> depth++;
                case ')', '}', ']' -> depth--;
                case ',' -> {
                    if (depth == 1) {
                        return true;
                    }
                }
                default -> {}
            }
        }
        return false;
    }
}
