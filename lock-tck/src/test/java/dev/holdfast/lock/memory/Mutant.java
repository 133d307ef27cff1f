package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.Rule;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The reference and its broken kin. Each names the rule whose test must catch it; it may well break others too. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are constructors and static methods
enum Mutant {
    /** Not broken. */
    REFERENCE(null, MutatedSpace::new),

    GRANTS_TWICE(Rule.P1_1, MutatedHolding.GrantsTwice::new),
    FOLDS_CASE(Rule.P1_2, MutatedStores::foldsCase),
    TRIMS_NAMES(Rule.P1_2, MutatedStores::trimsNames),
    NORMALIZES_NAMES(Rule.P1_2, MutatedStores::normalizesNames),
    CUTS_LONG_NAMES(Rule.P1_2, MutatedStores::cutsLongNames),
    STUMBLES_OVER_QUOTES(Rule.P1_3, MutatedStores::stumblesOverQuotes),
    JOINS_NAMESPACE_AND_NAME(Rule.P1_4, MutatedSpace::new),
    STATE_PER_STORE(Rule.P1_5, MutatedSpace::new),
    CHECKS_THEN_ACTS(Rule.P1_6, MutatedHolding.ChecksThenActs::new),
    EXPIRES_EARLY(Rule.P1_7, MutatedHolding.ExpiresEarly::new),
    NEVER_EXPIRES(Rule.P1_8, MutatedHolding.NeverExpires::new),
    FULL_LENGTH_ON_REPEAT(Rule.P1_9, MutatedHolding.FullLengthOnRepeat::new),
    COMPARES_OWNERS(Rule.P1_10, MutatedHolding.ComparesOwners::new),
    IGNORES_MINIMUM(Rule.P1_11, MutatedReleases.IgnoresMinimum::new),
    KEEPS_FROM_RELEASE(Rule.P1_12, MutatedReleases.KeepsFromRelease::new),
    KEEPS_FOR_EVER(Rule.P1_12, MutatedReleases.KeepsForEver::new),
    KEPT_ID_LIVES_ON(Rule.P1_13, MutatedReleases.KeptIdLivesOn::new),
    PRIVATE_TO_ITS_PROCESS(Rule.P1_15, MutatedSpace::new),
    FORGETS_GRANTS_ON_RESTART(Rule.P1_17, MutatedHolding.ForgetsGrantsOnRestart::new),

    SAME_TOKEN_AFTER_RELEASE(Rule.P2_1, MutatedTokens.SameForEver::new),
    SAME_TOKEN_AFTER_EXPIRY(Rule.P2_2, MutatedTokens.SameAfterExpiry::new),
    COUNTS_ANEW_WHEN_OPENED(Rule.P2_3, MutatedTokens.AnewWhenOpened::new),
    COUNTS_ANEW_AFTER_RESTART(Rule.P2_4, MutatedTokens.AnewAfterRestart::new),
    COUNTS_ANEW_AFTER_PRUNING(Rule.P2_5, MutatedTokens.AnewAfterPruning::new),
    TRUSTS_THE_CLOCK(Rule.P2_6, MutatedTokens.TrustsTheClock::new),
    TRUSTS_THE_CLOCK_WHEN_SET(Rule.P2_7, MutatedTokens.TrustsTheClock::new),
    IGNORES_ABOVE(Rule.P2_8, MutatedTokens.IgnoresAbove::new),
    NEW_TOKEN_ON_REPEAT(Rule.P2_9, MutatedTokens.NewOnRepeat::new),
    CAPS_TOKENS(Rule.P2_10, MutatedTokens.Capped::new),

    TELLS_LATE(Rule.P3_1, MutatedHolding.ExpiresEarly::new),
    NEVER_TELLS_OF_LOSS(Rule.P3_2, MutatedRenewals.Whatever::new),
    ANSWERS_FROM_MEMORY(Rule.P3_3, MutatedStores::answersFromMemory),

    REPEAT_IS_BUSY(Rule.P4_1, MutatedHolding.RepeatIsBusy::new),
    RELEASES_BY_NAME(Rule.P4_2, MutatedReleases.ByName::new),
    ALWAYS_WAS_HELD(Rule.P4_3, MutatedReleases.AlwaysWasHeld::new),
    FORGETS_RELEASED_IDS(Rule.P4_4, MutatedReleases.ForgetsReleased::new),
    REMEMBERS_ONE_ID(Rule.P4_5, MutatedReleases.RemembersOne::new),
    EXPIRED_ID_GETS_ITS_GRANT_BACK(Rule.P4_6, MutatedHolding.ExpiredIdGetsItsGrantBack::new),
    SECOND_RELEASE_FORGETS(Rule.P4_7, MutatedReleases.SecondForgets::new),
    SHIFTS_ANSWERS(Rule.P4_8, MutatedStores::shiftsAnswers),
    REORDERS_BATCHES(Rule.P4_9, MutatedStores::reordersBatches),
    BAD_STEP_HARMS_BATCH(Rule.P4_10, MutatedStores::badStepHarmsBatch),
    SMALL_BATCHES_ONLY(Rule.P4_11, MutatedStores::smallBatchesOnly),

    GRANTS_LATE(Rule.P5_1, MutatedReleases.RemembersHoldersOnly::new),
    GRANTS_TO_WHO_GAVE_UP(Rule.P5_2, MutatedReleases.GrantsToWhoGaveUp::new),
    GRANTS_TO_THE_INTERRUPTED(Rule.P5_3, MutatedReleases.GrantsToWhoGaveUp::new),

    OUTAGE_IS_BUSY(Rule.P6_1, MutatedStores::outageIsBusy),
    OUTAGE_IS_BUSY_FOR_LOCKS(Rule.P6_4, MutatedStores::outageIsBusy),
    IGNORES_TIMEOUT(Rule.P6_2, MutatedStores::ignoresTimeout),
    NEVER_RECOVERS(Rule.P6_3, MutatedStores::neverRecovers),
    OPENS_BLINDLY(Rule.P6_5, MutatedSpace::new),

    LEAKS_CONNECTIONS(Rule.P9_1, MutatedStores::leaksConnections),
    KEEPS_IDLE_NAMES(Rule.P9_2, MutatedHolding.KeepsIdleNames::new),

    RENEWS_NOTHING(Rule.P10_1, MutatedRenewals.Nothing::new),
    RESURRECTS(Rule.P10_2, MutatedRenewals.Resurrects::new),
    RENEWAL_INSERTS(Rule.P10_3, MutatedRenewals.Inserts::new),
    RENEWS_BY_NAME(Rule.P10_4, MutatedRenewals.ByName::new);

    private final @Nullable Rule broken;
    private final Supplier<MutatedSpace> space;
    private final UnaryOperator<LockStore> store;

    Mutant(@Nullable Rule broken, Supplier<MutatedSpace> space) {
        this.broken = broken;
        this.space = space;
        this.store = UnaryOperator.identity();
    }

    Mutant(Rule broken, UnaryOperator<LockStore> store) {
        this.broken = broken;
        this.space = MutatedSpace::new;
        this.store = store;
    }

    Rule broken() {
        return Objects.requireNonNull(broken);
    }

    MutatedSpace newSpace() {
        return space.get();
    }

    LockStore mutate(LockStore healthy) {
        return store.apply(healthy);
    }
}
