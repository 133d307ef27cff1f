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
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs the whole kit on each mutant, and writes the rules that it fails to {@code target/mutants.txt}. */
@ResourceLock(MutantProvider.RESTARTS)
@Tag("long")
class WholeKitTest {

    /** With more at once waiters would miss their claim windows. */
    private static final int AT_ONCE = 4;

    @Test
    void wholeKit_failsEachMutantAndPassesTheReference() throws Exception {
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
