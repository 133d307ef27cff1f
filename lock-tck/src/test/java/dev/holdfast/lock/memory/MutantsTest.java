package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.engine.TestExecutionResult;

/** The kit is tested: the reference passes, and each mutant fails the rules that it breaks, with a message that helps. */
@Execution(ExecutionMode.CONCURRENT)
class MutantsTest {

    /** What needs processes that share the store is checked elsewhere. */
    private static final int AT_ONCE = 48;

    private static final Set<Rule> ELSEWHERE = EnumSet.of(Rule.P1_15, Rule.P1_16, Rule.P7_12);

    /** So many may be missed at first, among so many at once on a machine that stands still. */
    private static final int MOST_JUDGED_AGAIN = 3;

    private static final Map<Mutant, Verdicts> ALL = new EnumMap<>(Mutant.class);
    private static final List<Mutant> JUDGED_AGAIN = new ArrayList<>();

    @BeforeAll
    static void runTheRulesOfEach() throws Exception {
        ALL.putAll(Verdicts.ofAll(
                AT_ONCE, mutant -> mutant == Mutant.REFERENCE ? Set.of(Rule.values()) : mutant.broken()));
        for (Mutant mutant : Mutant.values()) {
            if (!ALL.get(mutant).broken().containsAll(mutant.broken())) {
                JUDGED_AGAIN.add(mutant);
                ALL.put(mutant, Verdicts.of(mutant, mutant.broken()));
            }
        }
    }

    @Test
    void theReferencePassesEveryRule() {
        assertThat(ALL.get(Mutant.REFERENCE).byRule()).containsOnlyKeys(Rule.values());
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
    void eachRuleHasAMutantThatBreaksIt() {
        assertThat(Stream.of(Mutant.values())
                        .flatMap(mutant -> mutant.broken().stream())
                        .distinct())
                .containsExactlyInAnyOrder(Rule.values());
    }

    @Test
    void eachMutantFailsTheRulesThatItBreaksWithAMessageThatHelps() {
        List<String> missed = new ArrayList<>();
        for (Mutant mutant : Mutant.values()) {
            for (Rule own : mutant.broken()) {
                String message = ALL.get(mutant).message(own);
                if (!message.startsWith(own.id() + " broken: ")
                        || !message.contains(own.demand())
                        || !message.contains(own.advice())) {
                    missed.add(mutant + " by " + own.id() + ", which says '" + message + "'");
                }
            }
        }
        assertThat(missed).isEmpty();
    }

    @Test
    void hardlyAnyMutantIsMissedAtFirst() {
        assertThat(JUDGED_AGAIN).as("mutants that were judged again").hasSizeLessThanOrEqualTo(MOST_JUDGED_AGAIN);
    }
}
