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

/** The list of rules, their documentation and their tests agree. */
class RuleListTest {

    @Test
    void readme_listsEachRuleWithItsDemand() throws IOException {
        List<String> listed = Files.readAllLines(Path.of("README.md")).stream()
                .filter(line -> line.matches("\\| (P[0-9]+[.][0-9]+|[ISM][0-9]+) \\|.*"))
                .toList();
        assertThat(listed)
                .containsExactly(Stream.of(Rule.values())
                        .map(rule -> "| " + rule.id() + " | " + rule.demand() + " |")
                        .toArray(String[]::new));
    }

    @Test
    void rule_hasExactlyOneTestThatBeginsWithItsNumber() {
        List<Method> tests = Stream.of(LockStoreContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Checks.class))
                .toList();
        assertThat(tests).extracting(KitLauncher::ruleOf).containsExactlyInAnyOrder(Rule.values());
        assertThat(tests)
                .allSatisfy(test -> assertThat(test.getName())
                        .startsWith(KitLauncher.ruleOf(test).name().toLowerCase(Locale.ROOT) + "_"));
    }

    @Test
    void rule_hasDemandAndAdviceThatStandAlone() {
        assertThat(Rule.values()).allSatisfy(rule -> {
            assertThat(rule.demand()).isNotBlank().doesNotContainPattern("(?i)\\b(who|whoever|nobody|somebody)\\b");
            assertThat(rule.advice()).isNotBlank().doesNotContainPattern("(?i)\\b(whoever|nobody|somebody)\\b");
        });
    }
}
