package dev.holdfast.lock.composite.specification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code -Dlock.test.scale=20}, or the profile {@code long}, looks at larger models, too. */
class SpecificationIT {

    private static final boolean IS_LONG = Integer.getInteger("lock.test.scale", 1) > 1;

    private static final String[] INVARIANTS = {
        "Mutex",
        "MinimumHolds",
        "HoldersFirst",
        "TokensRise",
        "ReleasedForGood",
        "OneAuthority",
        "Backed",
        "EmptyUnderPrimary"
    };

    @Test
    void holdsInEveryState() throws IOException, InterruptedException {
        Checked checked = Model.SMALL.check(INVARIANTS);

        assertThat(checked.exhausted()).as(checked.output()).isTrue();
    }

    @Test
    void holdsInEveryStateWithoutFailuresOfServersWhereAHoldOutlivesATick() throws IOException, InterruptedException {
        Checked checked = Model.LARGER.inCalm().check(INVARIANTS);

        assertThat(checked.exhausted()).as(checked.output()).isTrue();
    }

    @Test
    void aMinimumHoldLastsThroughEveryOrderOfReturnsThatComeAboutAndThatDoNot()
            throws IOException, InterruptedException {
        Checked checked = Model.SMALL.epochs(IS_LONG ? 9 : 7).keeping().check(INVARIANTS);

        assertThat(checked.exhausted()).as(checked.output()).isTrue();
    }

    @Test
    void holdsInRandomBehavioursOfManyEpochs() throws IOException, InterruptedException {
        assumeTrue(IS_LONG, "only in a long run: RegimeSimulation does it in every build");

        Checked checked = Model.LARGER.epochs(7).sample(100_000, INVARIANTS);

        assertThat(checked.isFlawless()).as(checked.output()).isTrue();
    }

    @Test
    void holdsInEveryStateOfALargerModel() throws IOException, InterruptedException {
        assumeTrue(IS_LONG, "only in a long run");

        Checked checked = Model.LARGER.check(INVARIANTS);

        assertThat(checked.exhausted()).as(checked.output()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.composite.specification.Mutant#all")
    void everyRuleIsNeeded(Mutant mutant) throws IOException, InterruptedException {
        Checked checked = mutant.model().check(mutant.breaks());

        assertThat(checked.violates(mutant.breaks())).as(checked.output()).isTrue();
    }
}
