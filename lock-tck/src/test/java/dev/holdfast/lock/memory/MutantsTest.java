package dev.holdfast.lock.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;

/**
 * The kit is tested: the reference passes, each mutant fails the rule that it breaks, with a message that helps, and which
 * rules each mutant fails is the same as it was.
 */
class MutantsTest {

    private static final int AT_ONCE = 36;

    /** What needs processes that share the store is checked elsewhere. */
    private static final Set<Rule> ELSEWHERE = EnumSet.of(Rule.P1_15, Rule.P1_16, Rule.P7_12);

    /** How threads meet, and who asks first, decides whether these catch a mutant that is not theirs. Left out. */
    private static final Set<Rule> BY_CHANCE = EnumSet.of(Rule.P1_14, Rule.P7_13, Rule.P8_7);

    /** Chance decides: whether a renewal comes in half the time, or after a release, or who subscribes when. Left out. */
    private static final Map<Mutant, Set<Rule>> MAY_FAIL = Map.of(
            Mutant.EXPIRES_EARLY,
            Set.of(Rule.P3_3, Rule.P10_5),
            Mutant.STARTS_DEAF,
            Set.of(Rule.P8_1, Rule.P8_2, Rule.P8_4, Rule.P8_5, Rule.P8_9),
            Mutant.RENEWS_BY_NAME,
            Set.of(Rule.P10_5));

    /** How often the kit runs against a mutant that comes out otherwise than it did. */
    private static final int RUNS_ALONE = 2;

    private static final Map<Mutant, Verdicts> ALL = new EnumMap<>(Mutant.class);

    /**
     * So many at once that some may find too little of the machine left to do in time what shows them. Whichever comes out otherwise
     * than before is judged by itself.
     */
    @BeforeAll
    static void runTheKitAgainstAll() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
        try {
            List<Future<Verdicts>> running = new ArrayList<>();
            for (Mutant mutant : Mutant.values()) {
                running.add(pool.submit(() -> Verdicts.of(mutant)));
            }
            for (Future<Verdicts> one : running) {
                ALL.put(one.get().mutant(), one.get());
            }
        } finally {
            pool.shutdownNow();
        }
        String before = resource("mutants.txt");
        for (int run = 1; run <= RUNS_ALONE; run++) {
            ALL.replaceAll((mutant, found) -> before.contains(line(found)) ? found : alone(mutant, found));
        }
    }

    /** What the reference fails it fails, however much goes on beside it. */
    private static Verdicts alone(Mutant mutant, Verdicts found) {
        if (mutant == Mutant.REFERENCE) {
            return found;
        }
        System.out.print("again, alone: " + line(found));
        return Verdicts.of(mutant);
    }

    @Test
    void theReferencePassesEverything() {
        ALL.get(Mutant.REFERENCE)
                .byRule()
                .forEach((rule, result) -> assertThat(result.getStatus())
                        .as("%s: %s", rule.id(), result.getThrowable().orElse(null))
                        .isEqualTo(
                                ELSEWHERE.contains(rule)
                                        ? TestExecutionResult.Status.ABORTED
                                        : TestExecutionResult.Status.SUCCESSFUL));
    }

    @Test
    void everyRuleIsCheckedAndHasAMutantOfItsOwn() {
        assertThat(ALL.get(Mutant.REFERENCE).byRule().keySet()).containsExactlyInAnyOrder(Rule.values());
        assertThat(ALL.keySet().stream()
                        .flatMap(mutant -> mutant.broken().stream())
                        .distinct())
                .containsExactlyInAnyOrder(Rule.values());
    }

    @Test
    void eachMutantFailsItsOwnRulesWithAMessageThatHelps() {
        for (Mutant mutant : Mutant.values()) {
            for (Rule own : mutant.broken()) {
                assertThat(ALL.get(mutant).broken())
                        .as("rules that %s fails", mutant)
                        .contains(own);
                assertThat(ALL.get(mutant).message(own))
                        .as("what the kit says of %s", mutant)
                        .startsWith(own.id() + " broken: ")
                        .contains(own.demand())
                        .contains(own.advice());
            }
        }
    }

    @Test
    void theTableIsAsItWas() throws IOException {
        String table = ALL.values().stream().map(MutantsTest::line).collect(joining());
        Path now = Path.of("target", "mutants.txt");
        Files.writeString(now, table);
        assertThat(table)
                .as(
                        "which rules each mutant fails: if this is a change for the better, put %s in the resource's place",
                        now)
                .isEqualTo(resource("mutants.txt"));
    }

    private static String line(Verdicts verdicts) {
        String broken = verdicts.broken().stream()
                .filter(rule -> verdicts.mutant().broken().contains(rule) || !BY_CHANCE.contains(rule))
                .filter(rule ->
                        !MAY_FAIL.getOrDefault(verdicts.mutant(), Set.of()).contains(rule))
                .map(Rule::id)
                .collect(joining(" "));
        return String.format("%-31s%s%n", verdicts.mutant(), broken.isEmpty() ? "-" : broken);
    }

    private static String resource(String name) {
        try (InputStream in = MutantsTest.class.getResourceAsStream("/" + name)) {
            return in == null ? "" : new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
