package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code -Dlock.test.scale=20}, or the profile {@code long}, runs more; {@code -Dlock.simulation.seed=42} repeats one. */
class RegimeSimulationTest {

    private static final int SEEDS = 1_000 * Integer.getInteger("lock.test.scale", 1);
    private static final int SEEDS_FOR_MUTANTS = 600;

    @Test
    void theCompositeKeepsItsPromisesWhateverHappens() {
        Long one = Long.getLong("lock.simulation.seed");
        if (one != null) {
            new RegimeSimulation(one, RegimeMutant.NONE).run();
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                new RegimeSimulation(seed, RegimeMutant.NONE).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " (repeat it with -Dlock.simulation.seed=" + seed + ")", e);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NO_MARK_CHECK, P1",
        "NO_LINEAGE_CHECK, P1",
        "COPY_WRITES_NOTHING, P1",
        "FORGETS_RELEASES, R3",
        "FORGETS_MINIMUM_HOLDS, R2",
        "BASE_STAYS, P2",
        "SHORT_DRAIN, P1",
        "HOLDS_GO_ON_BY_THEMSELVES, P1",
        "KEEPS_NO_MINIMUM_HOLD, R2",
    })
    void finds(RegimeMutant mutant, String check) {
        assertThat(found(mutant)).contains(check);
    }

    private static String found(RegimeMutant mutant) {
        for (long seed = 0; seed < SEEDS_FOR_MUTANTS; seed++) {
            long each = seed;
            Throwable thrown = catchThrowable(() -> new RegimeSimulation(each, mutant).run());
            if (thrown != null) {
                return String.valueOf(thrown.getMessage());
            }
        }
        return "nothing";
    }
}
