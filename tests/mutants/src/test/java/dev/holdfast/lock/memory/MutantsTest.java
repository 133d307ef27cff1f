package dev.holdfast.lock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.engine.TestExecutionResult;

/**
 * Tests the kit: each mutant fails the rules that it breaks, with their advice. The reference, which breaks none, passes, on a machine
 * that stands still as well.
 */
@ResourceLock(MutantProvider.RESTARTS)
@Execution(ExecutionMode.CONCURRENT)
@Tag("first-build")
class MutantsTest {

    private static final int AT_ONCE = 48;

    /** Rules about restarts and broken connections. {@link MemoryContractTest} and {@link JournalContractTest} check the others. */
    private static final Set<Rule> OF_REFERENCE = EnumSet.of(
            Rule.P1_17,
            Rule.P2_4,
            Rule.P3_3,
            Rule.P6_1,
            Rule.P6_2,
            Rule.P6_3,
            Rule.P6_4,
            Rule.P6_5,
            Rule.P6_6,
            Rule.P6_7,
            Rule.P8_4,
            Rule.P8_10,
            Rule.I8,
            Rule.M3,
            Rule.M4);

    /** Rules about waiters that do not ask again, and have their places for so long. */
    private static final Set<Rule> OF_QUEUED =
            EnumSet.of(Rule.P7_7, Rule.P7_15, Rule.P8_1, Rule.P8_2, Rule.P8_9, Rule.S8);

    private static final Set<Rule> OF_NOTIFIED =
            EnumSet.of(Rule.P8_1, Rule.P8_2, Rule.P8_3, Rule.P8_4, Rule.P8_5, Rule.P8_9, Rule.P8_10);

    private static final Set<Rule> OF_HISTORIES = EnumSet.of(Rule.M1, Rule.M2, Rule.M3, Rule.M4);

    private static final boolean IS_LONG = Integer.getInteger("lock.test.scale", 1) > 1;

    /** How many mutants may be missed at first: a tenth, as a machine that runs them all at once may stall. */
    private static final int MAX_JUDGED_AGAIN = Mutant.values().length / 10;

    private static final Map<Mutant, Verdicts> ALL = new EnumMap<>(Mutant.class);
    private static final List<Mutant> JUDGED_AGAIN = new ArrayList<>();

    @BeforeAll
    static void runTheRulesOfEach() throws Exception {
        ALL.putAll(Verdicts.ofAll(AT_ONCE, MutantsTest::asked));
        for (Mutant mutant : Mutant.values()) {
            if (!ALL.get(mutant).broken().containsAll(broken(mutant))) {
                JUDGED_AGAIN.add(mutant);
                ALL.put(mutant, Verdicts.of(mutant, broken(mutant)));
            }
        }
    }

    private static Set<Rule> asked(Mutant mutant) {
        return switch (mutant) {
            case REFERENCE -> OF_REFERENCE;
            case STANDS_STILL_BEFORE_OTHERS_QUEUE -> OF_QUEUED;
            case STANDS_STILL_BEFORE_RELEASES, STANDS_STILL_BEFORE_NOTIFICATIONS -> OF_NOTIFIED;
            default -> broken(mutant);
        };
    }

    /** The rules that must catch a mutant; the rules M in a long run only, as they need many histories for one that is rarely wrong. */
    private static Set<Rule> broken(Mutant mutant) {
        return mutant.broken().stream()
                .filter(rule -> IS_LONG || !OF_HISTORIES.contains(rule))
                .collect(Collectors.toSet());
    }

    @Test
    void reference_passesTheRules() {
        assertPasses(Mutant.REFERENCE);
    }

    @Test
    void reference_ifTheMachineStandsStillUntilPlacesExpire_passesTheRules() {
        assertPasses(Mutant.STANDS_STILL_BEFORE_OTHERS_QUEUE);
        assertPasses(Mutant.STANDS_STILL_BEFORE_RELEASES);
        assertPasses(Mutant.STANDS_STILL_BEFORE_NOTIFICATIONS);
    }

    private static void assertPasses(Mutant mutant) {
        assertThat(ALL.get(mutant).byRule()).containsOnlyKeys(asked(mutant));
        ALL.get(mutant)
                .byRule()
                .forEach((rule, result) -> assertThat(result.getStatus())
                        .as("%s: %s", rule.id(), result.getThrowable().orElse(null))
                        .isEqualTo(TestExecutionResult.Status.SUCCESSFUL));
    }

    @Test
    void rule_isBrokenByAMutant() {
        assertThat(Stream.of(Mutant.values())
                        .flatMap(mutant -> mutant.broken().stream())
                        .distinct())
                .containsExactlyInAnyOrder(Rule.values());
    }

    @Test
    void mutant_failsTheRulesThatItBreaksWithTheirAdvice() {
        List<String> missed = new ArrayList<>();
        for (Mutant mutant : Mutant.values()) {
            for (Rule own : broken(mutant)) {
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
    void mutants_missedAtFirst_areFew() {
        assertThat(JUDGED_AGAIN).as("mutants that were judged again").hasSizeLessThanOrEqualTo(MAX_JUDGED_AGAIN);
    }
}
