package dev.holdfast.lock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules are listed where people read them, and each has exactly one test, named after it. */
class RuleListTest {

    @Test
    void theReadmeListsTheRulesAsTheyAre() throws IOException {
        List<String> listed = Files.readAllLines(Path.of("README.md")).stream()
                .filter(line -> line.matches("\\| [PI][0-9.]+ \\|.*"))
                .toList();
        assertThat(listed)
                .containsExactly(Stream.of(Rule.values())
                        .map(rule -> "| " + rule.id() + " | " + rule.demand() + " |")
                        .toArray(String[]::new));
    }

    @Test
    void eachRuleHasOneTestNamedAfterIt() {
        List<Method> checks = Stream.of(LockStoreContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Checks.class))
                .toList();
        assertThat(checks)
                .extracting(method -> method.getAnnotation(Checks.class).value())
                .containsExactlyInAnyOrder(Rule.values());
        assertThat(checks)
                .allSatisfy(method -> assertThat(method.getName())
                        .startsWith(method.getAnnotation(Checks.class)
                                        .value()
                                        .name()
                                        .toLowerCase(Locale.ROOT)
                                + "_"));
    }
}
