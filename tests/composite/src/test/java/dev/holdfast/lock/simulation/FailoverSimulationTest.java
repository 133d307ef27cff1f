package dev.holdfast.lock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Seeds;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A composite in virtual time, and one with each of its rules broken; {@link Seeds} explains how to repeat a run.
 */
class FailoverSimulationTest {

    private static final int SEEDS = 40;
    private static final int SEEDS_FOR_SHARES = 28;
    private static final int SEEDS_FOR_MUTANTS = 10_000;

    private record Failure(long seed, Throwable why) {}

    @Test
    void composite_underRandomFaults_keepsItsPromises() {
        keepsItsPromises(SEEDS, false);
    }

    @Test
    void compositeWithShares_underRandomFaults_keepsItsPromises() {
        keepsItsPromises(SEEDS_FOR_SHARES, true);
    }

    private static void keepsItsPromises(int count, boolean hasShares) {
        Seeds.some(count)
                .parallel()
                .forEach(seed ->
                        Seeds.run(seed, each -> new FailoverSimulation(each, FailoverMutant.NONE, hasShares).run()));
    }

    /**
     * The last column only saves time: a seed that finds the broken rule at present. If it no longer does, all seeds are tried,
     * for up to minutes, and the report of the test names one that does.
     */
    @ParameterizedTest
    @CsvSource({
        "NO_RECORD_CHECK, P1|P2, 11",
        "NO_REPLICATION_ID_CHECK, P1|P2, 2",
        "NO_ROLE_CHECK, P1|P2|R2, 21",
        "INSTALL_RUNS_TWICE, P1|P2, 1",
        "COPY_WRITES_NOTHING, P1|R1, 0",
        "HIDES_ITS_CLOCK, P1, 795",
        "ASSERTS_IN_ANY_STATE, P1, 1714",
        "FORGETS_RELEASES, R3, 6",
        "FORGETS_MINIMUM_HOLDS, R2, 0",
        "KEPT_STANDS_IN_THE_WAY, R1, 5082",
        "LEAVES_ROWS_AT_ACTIVATION, R1|R2, 23",
        "BASE_STAYS, P2, 0",
        "SHORT_DRAIN, P1, 1",
        "EVERY_GRANT_COUNTS, P1|P2, 121",
        "CONFIRMS_BY_ITSELF, P1|R1, 2",
        "GOES_ON_WITHOUT_THE_AUTHORITY, P1, 8",
        "TRANSFERS_NO_MINIMUM_HOLD, R2, 0",
        "TRANSFERS_MINIMUM_HOLDS_AS_LEASES, R2, 10244",
        "TRANSFERS_NOTHING, R1, 2",
        "MOVES_DEADLINES_BACK, P1|R4, 104",
        "SHORTENS_LEASES, R4, 0",
    })
    void simulation_whenARuleIsBroken_findsIt(FailoverMutant mutant, String check, long first, TestReporter reporter) {
        isFound(mutant, false, check, first, reporter);
    }

    @ParameterizedTest
    @CsvSource({
        "COPIES_ONE_LEASE, P1|R1, 1",
        "COPIES_LEASES_AS_SHARED, P1, 1",
        "ASSERTS_LEASES_AS_SHARED, P1, 1",
        "ASSERTS_LEASES_AS_EXCLUSIVE, R1, 5",
    })
    void simulationOfShares_whenARuleIsBroken_findsIt(
            FailoverMutant mutant, String check, long first, TestReporter reporter) {
        isFound(mutant, true, check, first, reporter);
    }

    private static void isFound(
            FailoverMutant mutant, boolean hasShares, String check, long first, TestReporter reporter) {
        String expected = "(?s)after .* ms: (" + check + "): .*";
        LongStream seeds = LongStream.concat(LongStream.of(first), LongStream.range(0, SEEDS_FOR_MUTANTS));
        Optional<Failure> found = failures(mutant, hasShares, seeds)
                .filter(failure -> String.valueOf(failure.why().getMessage()).matches(expected))
                .findFirst();
        assertThat(found).as("found by " + check).isPresent();
        if (found.get().seed() != first) {
            reporter.publishEntry(mutant + " is found by seed " + found.get().seed() + ", no longer by " + first);
        }
    }

    /** One run knows nothing of another. */
    private static Stream<Failure> failures(FailoverMutant mutant, boolean hasShares, LongStream seeds) {
        return seeds.mapToObj(seed -> run(seed, mutant, hasShares)).flatMap(Optional::stream);
    }

    private static Optional<Failure> run(long seed, FailoverMutant mutant, boolean hasShares) {
        try {
            new FailoverSimulation(seed, mutant, hasShares).run();
            return Optional.empty();
        } catch (AssertionError | RuntimeException e) {
            return Optional.of(new Failure(seed, e));
        }
    }
}
