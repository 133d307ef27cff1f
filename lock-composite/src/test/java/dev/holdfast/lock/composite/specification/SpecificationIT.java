package dev.holdfast.lock.composite.specification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The specification under the model checker: in full once it has changed, and in the profile {@code long}; else within bounds that
 * only show that this still works.
 */
@Tag("first-build")
class SpecificationIT {

    /** With it, a specification that was checked in full and is right is recorded as such. */
    private static final String RECORD = "lock.specification.record";

    private static final String[] INVARIANTS = {
        "Compatible",
        "MinimumHolds",
        "Carried",
        "Fitting",
        "TokensRise",
        "ReleasedForGood",
        "OneAuthority",
        "Backed",
        "EmptyUnderPrimary"
    };

    @Test
    void invariants_inSmallestModel_holdInEveryState() throws IOException, InterruptedException {
        holds(Model.SMALL.epochs(2).inCalm());
    }

    @Test
    void mutant_inSmallestModel_isFound() throws IOException, InterruptedException {
        isNeeded(new Mutant(
                "activates the fallback too early",
                "Compatible",
                Model.SMALL.inCalm().drain(0)));
    }

    @Test
    void specification_whenChanged_isCheckedInFull() throws IOException, InterruptedException {
        if (!Digest.isRecorded()) {
            invariants_inSmallModel_holdInEveryState();
            invariants_whenHoldsOutliveATick_holdWithoutServerFailures();
            minimumHold_throughEveryOrderOfFailbacks_lasts();
            invariants_whenRepliesAreReceivedInAnyOrder_holdWithoutServerFailures();
            invariants_ofReaderAndWriter_holdWithoutServerFailures();
            invariants_ofSharesOfTheFirstEpoch_holdWithoutServerFailures();
            for (Mutant mutant : Mutant.all().toList()) {
                mutant_always_isFound(mutant);
            }
            if (!Boolean.getBoolean(RECORD)) {
                fail(
                        "src/spec has changed. It was checked in full just now, and is right: record that with mvn verify -D"
                                + RECORD + "=true -Dit.test=SpecificationIT, in this module, and commit it");
            }
            Digest.record();
        }
    }

    @Tag("long")
    @Test
    void invariants_inSmallModel_holdInEveryState() throws IOException, InterruptedException {
        holds(Model.SMALL);
    }

    @Tag("long")
    @Test
    void invariants_whenHoldsOutliveATick_holdWithoutServerFailures() throws IOException, InterruptedException {
        holds(Model.LARGER.inCalm());
    }

    @Tag("long")
    @Test
    void invariants_whenRepliesAreReceivedInAnyOrder_holdWithoutServerFailures()
            throws IOException, InterruptedException {
        holds(Model.SMALL.lengths(2).inCalm());
    }

    @Tag("long")
    @Test
    void invariants_ofReaderAndWriter_holdWithoutServerFailures() throws IOException, InterruptedException {
        holds(Model.SMALL.members(1, 1, 0).inCalmWithMinimumHolds());
    }

    @Tag("long")
    @Test
    void invariants_ofSharesOfTheFirstEpoch_holdWithoutServerFailures() throws IOException, InterruptedException {
        holds(Model.SMALL.members(0, 2, 1).withFirstGrants());
    }

    @Tag("long")
    @Test
    void invariants_ofReadersAndWriter_holdWithoutServerFailures() throws IOException, InterruptedException {
        holds(Model.SMALL.members(1, 2, 0).inCalm());
    }

    @Tag("long")
    @Test
    void minimumHold_throughEveryOrderOfFailbacks_lasts() throws IOException, InterruptedException {
        holds(Model.SMALL
                .epochs(Integer.getInteger("lock.test.scale", 1) > 1 ? 9 : 7)
                .keeping());
    }

    @Tag("long")
    @Test
    void invariants_overManyEpochs_holdInRandomBehaviours() throws IOException, InterruptedException {
        Checked checked = Model.LARGER.lengths(2).epochs(7).sample(100_000, INVARIANTS);

        assertThat(checked.isFlawless()).as(checked.output()).isTrue();
    }

    @Tag("long")
    @Test
    void invariants_ofAllShares_holdInRandomBehaviours() throws IOException, InterruptedException {
        Checked checked = Model.LARGER.members(1, 2, 1).epochs(5).sample(100_000, INVARIANTS);

        assertThat(checked.isFlawless()).as(checked.output()).isTrue();
    }

    @Tag("long")
    @Test
    void invariants_inLargerModel_holdInEveryState() throws IOException, InterruptedException {
        holds(Model.LARGER);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.holdfast.lock.composite.specification.Mutant#all")
    void mutant_always_isFound(Mutant mutant) throws IOException, InterruptedException {
        isNeeded(mutant);
    }

    private static void holds(Model model) throws IOException, InterruptedException {
        Checked checked = model.check(INVARIANTS);

        assertThat(checked.exhausted()).as(checked.output()).isTrue();
    }

    private static void isNeeded(Mutant mutant) throws IOException, InterruptedException {
        Checked checked = mutant.model().check(mutant.breaks());

        assertThat(checked.violates(mutant.breaks())).as(checked.output()).isTrue();
    }
}
