package dev.holdfast.lock.memory;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.tck.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The whole kit against each mutant; which rules it fails is left in {@code target/mutants.txt}. */
@Tag("long")
class WholeKitTest {

    /** Of more the waiters would not be served in time. */
    private static final int AT_ONCE = 4;

    @Test
    void eachMutantFailsTheRulesThatItBreaksAndTheReferenceNone() throws Exception {
        Map<Mutant, Verdicts> all = Verdicts.ofAll(AT_ONCE, mutant -> Set.of(Rule.values()));

        Files.writeString(
                Path.of("target", "mutants.txt"),
                all.values().stream().map(WholeKitTest::line).collect(joining()));
        assertThat(all.get(Mutant.REFERENCE).broken()).isEmpty();
        assertThat(all.values())
                .allSatisfy(found -> assertThat(found.broken())
                        .as("what %s fails", found.mutant())
                        .containsAll(found.mutant().broken()));
    }

    private static String line(Verdicts verdicts) {
        return String.format(
                "%-32s%s%n",
                verdicts.mutant(), verdicts.broken().stream().map(Rule::id).collect(joining(" ")));
    }
}
