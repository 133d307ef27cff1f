package dev.holdfast.lock.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kit names the rule that a mistake in the example store breaks. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("first-build")
class BrokenExampleTest {

    private static final ExecutorService POOL = Executors.newFixedThreadPool(Mistake.values().length);
    private static final Map<Mistake, CompletableFuture<ExampleRun>> RUNNING = new EnumMap<>(Mistake.class);

    /** Runs only the broken rule of each mistake, all mistakes at once. */
    @BeforeAll
    static void runTheRuleOfEach() {
        for (Mistake mistake : Mistake.values()) {
            Path folder = Folders.TARGET.resolve("mistakes").resolve(mistake.name());
            RUNNING.put(mistake, CompletableFuture.supplyAsync(() -> ExampleRun.with(mistake, folder), POOL));
        }
    }

    @AfterAll
    static void end() {
        POOL.shutdownNow();
    }

    @Test
    void exampleWithoutAMistake_passesTheRulesThatMistakesBreak() {
        Set<Rule> rules = Stream.of(Mistake.values()).map(Mistake::rule).collect(Collectors.toSet());
        ExampleRun sound =
                ExampleRun.of(rules, Folders.TARGET.resolve("mistakes").resolve("none"));

        assertThat(sound.report("txt"))
                .contains(Rule.values().length + " rules: " + rules.size() + " passed, 0 aborted, 0 failed, ");
    }

    @ParameterizedTest
    @EnumSource
    void mistakeInTheExample_isReportedByItsRule(Mistake mistake) {
        ExampleRun broken = RUNNING.get(mistake).join();

        assertThat(broken.report("txt"))
                .contains("the store does not conform")
                .contains("\n    " + mistake.rule().id() + " broken: ");
        assertThat(broken.report("json"))
                .contains("\"conforms\": false")
                .containsPattern("\\{\"id\": \"" + mistake.rule().id() + "\", .* \"verdict\": \"failed\", \"why\": \""
                        + mistake.rule().id() + " broken: ");
    }
}
