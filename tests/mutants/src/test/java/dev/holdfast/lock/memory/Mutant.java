package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.Rule;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The reference, and mutants of it. Each mutant names rules whose tests must catch it; it may break others as well. */
@SuppressWarnings("ImmutableEnumChecker") // the functions are constructors and static methods
enum Mutant {
    /** Breaks no rule. */
    REFERENCE(MutatedSpace::new),

    GRANTS_TWICE(MutatedLeases.GrantsTwice::new, Rule.P1_1, Rule.P1_14),
    HIDES_ITS_QUEUE(MutatedConnections::hidesItsQueue, Rule.P1_1),
    FOLDS_CASE(MutatedStores::foldsCase, Rule.P1_2),
    TRIMS_NAMES(MutatedStores::trimsNames, Rule.P1_2),
    NORMALIZES_NAMES(MutatedStores::normalizesNames, Rule.P1_2),
    CUTS_LONG_NAMES(MutatedStores::cutsLongNames, Rule.P1_2),
    FAILS_ON_QUOTES(MutatedStores::failsOnQuotes, Rule.P1_3),
    TOMBSTONES_FAIL_ON_LONG_NAMES(MutatedTombstones.FailsOnLongNames::new, Rule.P1_3),
    JOINS_NAMESPACE_AND_NAME(MutatedSpace::new, Rule.P1_4),
    SHARES_QUEUES_BETWEEN_NAMESPACES(MutatedPlaces.SharedBetweenNamespaces::new, Rule.P1_4),
    STATE_PER_STORE(MutatedSpace::new, Rule.P1_5),
    LOSES_CAPABILITIES(MutatedConnections::losesCapabilities, Rule.P1_5),
    NOTIFIES_WITHOUT_A_QUEUE(MutatedConnections::notifiesWithoutAQueue, Rule.P8_1),
    LISTS_WITHOUT_THE_CAPABILITY(MutatedConnections::listsWithoutTheCapability, Rule.P1_5),
    CHECKS_THEN_ACTS(MutatedLeases.ChecksThenActs::new, Rule.P1_6),
    MIXES_UP_CALLS(MutatedConnections::mixesUpCalls, Rule.P1_6),
    EXPIRES_EARLY(MutatedLeases.ExpiresEarly::new, Rule.P1_7, Rule.P3_1),
    SOME_LEASES_END_EARLY(MutatedTimes.SomeLeasesEndEarly::new, Rule.P1_7),
    NEVER_EXPIRES(MutatedLeases.NeverExpires::new, Rule.P1_8),
    REPEAT_EXTENDS(MutatedLeases.RepeatExtends::new, Rule.P1_8),
    FAILS_ON_NANOS(MutatedLeases.FailsOnNanos::new, Rule.P1_8),
    RENEWED_LEASES_END_LATE(MutatedTimes.RenewedLeasesEndLate::new, Rule.P1_8),
    FULL_LENGTH_ON_REPEAT(MutatedLeases.FullLengthOnRepeat::new, Rule.P1_9),
    REPEAT_SHORTENS(MutatedLeases.RepeatShortens::new, Rule.P1_9),
    RENEWALS_REPLY_THE_LENGTH(MutatedTimes.RenewalsReplyTheLength::new, Rule.P1_9),
    REPETITIONS_REPLY_TOO_LITTLE(MutatedTimes.RepetitionsReplyTooLittle::new, Rule.P1_9),
    REPETITIONS_FORGET_RENEWALS(MutatedTimes.RepetitionsForgetRenewals::new, Rule.P1_9),
    COMPARES_OWNERS(MutatedLeases.ComparesOwners::new, Rule.P1_10),
    RELEASES_BY_OWNER(MutatedIdentity.ReleasesByOwner::new, Rule.P1_10),
    RENEWS_BY_OWNER(MutatedIdentity.RenewsByOwner::new, Rule.P1_10),
    WITHDRAWS_BY_OWNER(MutatedIdentity.WithdrawsByOwner::new, Rule.P1_10),
    TOMBSTONES_BY_OWNER(MutatedIdentity.TombstonesByOwner::new, Rule.P1_10),
    REFUSES_LONG_OWNERS(MutatedIdentity::refusesLongOwners, Rule.P1_10),
    FAILS_ON_NUL_IN_OWNERS(MutatedIdentity::failsOnNulInOwners, Rule.P1_10),
    FAILS_ON_LONE_SURROGATES_IN_OWNERS(MutatedIdentity::failsOnLoneSurrogatesInOwners, Rule.P1_10),
    IGNORES_MINIMUM(MutatedReleases.IgnoresMinimum::new, Rule.P1_11),
    MINIMUM_COUNTS_FROM_THE_QUEUE(MutatedMinimumHolds.CountsFromTheQueue::new, Rule.P1_11),
    IGNORES_SOME_MINIMUMS(MutatedMinimumHolds.IgnoresSome::new, Rule.P1_11),
    KEEPS_FROM_RELEASE(MutatedReleases.KeepsFromRelease::new, Rule.P1_12),
    KEEPS_FOR_EVER(MutatedReleases.KeepsForEver::new, Rule.P1_12),
    ANY_ID_KEEPS(MutatedReleases.AnyIdKeeps::new, Rule.P1_12),
    MINIMUM_COUNTS_FROM_THE_RENEWAL(MutatedMinimumHolds.CountsFromTheRenewal::new, Rule.P1_12),
    MINIMUM_COUNTS_FROM_THE_REPETITION(MutatedMinimumHolds.CountsFromTheRepetition::new, Rule.P1_12),
    SECOND_RELEASES_EXTEND_THE_MINIMUM(MutatedMinimumHolds.SecondReleasesExtendIt::new, Rule.P1_12),
    KEPT_ID_LIVES_ON(MutatedReleases.KeptIdLivesOn::new, Rule.P1_13),
    SECOND_RELEASE_ENDS_THE_MINIMUM(MutatedReleases.SecondEndsTheMinimum::new, Rule.P1_13),
    STRANGERS_END_THE_MINIMUM(MutatedMinimumHolds.StrangersEndIt::new, Rule.P1_13),
    PRIVATE_TO_ITS_PROCESS(MutatedSpace::new, Rule.P1_15, Rule.P1_16, Rule.P1_21, Rule.P7_12),
    FORGETS_GRANTS_ON_RESTART(MutatedLeases.ForgetsGrantsOnRestart::new, Rule.P1_17),
    RESTARTS_NOTHING(MutatedSpace::new, Rule.P1_17, Rule.P2_4),
    CLOSE_RELEASES(MutatedConnections::closeReleases, Rule.P1_18),
    CLOSES_ONCE(MutatedConnections::closesOnce, Rule.P1_18),
    CLOSES_ALL(MutatedConnections.ClosesAll::new, Rule.P1_18),
    ANSWERS_WHEN_CLOSED(MutatedConnections::answersWhenClosed, Rule.P1_18),
    CLOSE_WAITS_FOR_SUBSCRIPTIONS(MutatedSubscriptions::closeWaitsForThem, Rule.P1_18),
    BUSY_FOR_AN_HOUR(MutatedLeases.BusyForAnHour::new, Rule.P1_19),
    OVERFLOWS(MutatedLeases.Overflows::new, Rule.P1_20),
    OVERFLOWS_TIMEOUTS(MutatedBatches::overflowsTimeouts, Rule.P1_20),

    SAME_TOKEN_AFTER_RELEASE(MutatedTokens.SameForEver::new, Rule.P2_1, Rule.P2_11),
    SAME_TOKEN_AFTER_EXPIRY(MutatedTokens.SameAfterExpiry::new, Rule.P2_2),
    COUNTS_ANEW_WHEN_OPENED(MutatedTokens.AnewWhenOpened::new, Rule.P2_3),
    COUNTS_ANEW_AFTER_RESTART(MutatedTokens.AnewAfterRestart::new, Rule.P2_4),
    COUNTS_ANEW_AFTER_PRUNING(MutatedTokens.AnewAfterPruning::new, Rule.P2_5),
    TRUSTS_THE_CLOCK(MutatedTokens.TrustsTheClock::new, Rule.P2_6, Rule.P2_7),
    IGNORES_ABOVE(MutatedTokens.IgnoresAbove::new, Rule.P2_8),
    IGNORES_ABOVE_AFTER_EXPIRY(MutatedTokens.IgnoresAboveAfterExpiry::new, Rule.P2_8),
    NEW_TOKEN_ON_REPEAT(MutatedTokens.NewOnRepeat::new, Rule.P2_9),
    CAPS_TOKENS(MutatedTokens.Capped::new, Rule.P2_10),
    DROPS_A_WAITER_WITHOUT_A_TOKEN(MutatedTokens.CostThePlace::new, Rule.P2_10),
    NO_TOKEN_ENDS_THE_ID(MutatedTokens.EndTheId::new, Rule.P2_10),
    NO_TOKEN_QUEUES(MutatedTokens.CostOthersAPlace::new, Rule.P2_10),

    NEVER_REPORTS_LOSS(MutatedRenewals.Whatever::new, Rule.P3_2),
    ANSWERS_FROM_MEMORY(MutatedStores::answersFromMemory, Rule.P3_3),

    REPEAT_IS_BUSY(MutatedLeases.RepeatIsBusy::new, Rule.P4_1),
    RELEASES_BY_NAME(MutatedReleases.ByName::new, Rule.P4_2),
    ALWAYS_WAS_HELD(MutatedReleases.AlwaysWasHeld::new, Rule.P4_3),
    LATE_RELEASES_END_THE_NEXT_LEASE(MutatedTombstones.LateReleasesEndTheNextLease::new, Rule.P4_3),
    WITHDRAWAL_WAS_HELD(MutatedReleases.WithdrawalWasHeld::new, Rule.P7_5),
    WRITES_NO_TOMBSTONES(MutatedReleases.WritesNoTombstones::new, Rule.P4_4),
    BUSY_BEFORE_GONE(MutatedReleases.BusyBeforeGone::new, Rule.P4_4, Rule.M1),
    KEEPS_ONE_TOMBSTONE(MutatedReleases.KeepsOneTombstone::new, Rule.P4_5),
    LIMITS_TOMBSTONES(MutatedTombstones.LimitedNumber::new, Rule.P4_5),
    EXPIRED_ID_GETS_ITS_GRANT_BACK(MutatedLeases.ExpiredIdGetsItsGrantBack::new, Rule.P4_6),
    EXPIRED_IDS_KEEP_THEIR_GRANT(MutatedTimes.ExpiredIdsKeepTheirGrant::new, Rule.P4_6),
    SECOND_RELEASE_FORGETS(MutatedReleases.SecondForgets::new, Rule.M1),
    SHIFTS_ANSWERS(MutatedStores::shiftsAnswers, Rule.P4_8),
    REFUSES_EMPTY_BATCHES(MutatedConnections::refusesEmptyBatches, Rule.P4_8),
    REORDERS_BATCHES(MutatedStores::reordersBatches, Rule.P4_9),
    BAD_STEP_HARMS_BATCH(MutatedStores::badStepHarmsBatch, Rule.P4_10),
    SMALL_BATCHES_ONLY(MutatedStores::smallBatchesOnly, Rule.P4_11),
    REORDERS_LARGE_BATCHES(MutatedBatches::reordersLargeOnes, Rule.P4_11),
    FAILURE_HARMS_LARGE_BATCHES(MutatedBatches::failureHarmsLargeOnes, Rule.P4_11),
    COMPARES_HIGH_HALVES(MutatedIdentity::comparesHighHalves, Rule.P4_12),
    COMPARES_LOW_HALVES(MutatedIdentity::comparesLowHalves, Rule.P4_12),
    TOMBSTONES_LAST_FOR_A_MOMENT(MutatedReleases.TombstonesLastForAMoment::new, Rule.P4_13),
    LATEST_TOMBSTONE_COUNTS(MutatedReleases.LatestTombstoneCounts::new, Rule.P4_13),
    WRITES_NO_TOMBSTONE_FOR_EXPIRED_IDS(MutatedTombstones.NotForExpiredIds::new, Rule.P4_13),
    EXPIRY_DROPS_TOMBSTONES(MutatedTombstones.ExpiryDropsThem::new, Rule.P4_13),
    RENEWS_WHAT_IT_READ(MutatedRaces.RenewsWhatItRead::new, Rule.P4_7),
    CHECKS_TOMBSTONES_BEFORE_THE_GRANT(MutatedRaces.ChecksTombstonesBefore::new, Rule.P4_7),

    GRANTS_LATE(MutatedReleases.TombstonesForHoldersOnly::new, Rule.P5_1),
    GRANTS_WITHOUT_AN_ACQUIRE(MutatedReleases.GrantsWithoutAnAcquire::new, Rule.P5_2, Rule.P5_3),
    WRITES_NO_TOMBSTONE_FOR_THE_FIRST(MutatedQueues.NoTombstoneForTheFirst::new, Rule.P5_4),
    CLEARS_INTERRUPTS(MutatedConnections::clearsInterrupts, Rule.P5_5),
    CLEARS_INTERRUPTS_IN_BATCHES(MutatedBatches::clearsInterrupts, Rule.P5_5),

    OUTAGE_IS_BUSY(MutatedStores::outageIsBusy, Rule.P6_1, Rule.P6_4),
    REPLIES_BUSY_TO_BATCHES_IN_AN_OUTAGE(MutatedBatches::repliesBusyInAnOutage, Rule.P6_1),
    IGNORES_TIMEOUT(MutatedStores::ignoresTimeout, Rule.P6_2),
    EXCEEDS_TIMEOUTS(MutatedConnections::exceedsTimeouts, Rule.P6_2),
    SWALLOWS_INTERRUPTS(MutatedConnections::swallowsInterrupts, Rule.P6_2),
    IGNORES_TIMEOUTS_OF_BATCHES(MutatedBatches::ignoresTheTimeout, Rule.P6_2),
    IGNORES_TIMEOUTS_OF_LISTINGS(MutatedWaiterListings::ignoreTheTimeout, Rule.P6_2),
    NEVER_RECOVERS(MutatedStores::neverRecovers, Rule.P6_3),
    COUNTS_ANEW_AFTER_AN_OUTAGE(MutatedTokens::anewAfterAnOutage, Rule.P6_3),
    OPENS_WITHOUT_A_CHECK(MutatedSpace::new, Rule.P6_5, Rule.P6_7),
    WAITS_FOR_ITS_POOL(MutatedConnections::waitsForItsPool, Rule.P6_6),
    HANGS_WHEN_OPENED(MutatedSpace::new, Rule.P6_7),

    SERVES_LAST_FIRST(MutatedQueues::servesLastFirst, Rule.P7_1, Rule.P7_13),
    LETS_NEWCOMERS_OVERTAKE(MutatedClaimWindows::letsNewcomersOvertake, Rule.P7_2),
    LETS_TRIERS_OVERTAKE(MutatedClaimWindows.LetsTriersOvertake::new, Rule.P7_2, Rule.P7_14),
    QUEUES_TRIERS(MutatedQueues.QueuesTriers::new, Rule.P7_2),
    LETS_PREVIOUS_HOLDERS_OVERTAKE(MutatedPlaces.LetsPreviousHoldersOvertake::new, Rule.P7_2),
    REPETITION_GOES_TO_THE_END(MutatedQueues::repetitionGoesToTheEnd, Rule.P7_3),
    KEEPS_THE_FIRST_LENGTH(MutatedPlaces.KeepTheFirstLength::new, Rule.P7_3),
    LOSES_SOME_PLACES(MutatedPlaces::losesSome, Rule.P7_3),
    QUEUE_PER_STORE(MutatedQueues.QueuePerStore::new, Rule.P7_4),
    FORGETS_WITHDRAWALS(MutatedQueues::forgetsWithdrawals, Rule.P7_5),
    ANY_ID_WITHDRAWS(MutatedReleases.AnyIdWithdraws::new, Rule.P7_5),
    RENEWAL_WITHDRAWS(MutatedRenewals.Withdraws::new, Rule.P7_5),
    IGNORES_CLAIM_WINDOWS(MutatedClaimWindows::ignoresClaimWindows, Rule.P7_6),
    RENEWALS_CLAIM(MutatedTimes.RenewalsClaim::new, Rule.P7_6),
    LENGTHENS_CLAIM_WINDOWS(MutatedClaimWindows::lengthensClaimWindows, Rule.P7_7),
    PASSED_OVER_STAYS_FIRST(MutatedClaimWindows::passedOverStaysFirst, Rule.P7_7),
    ONE_CLAIM_WINDOW_FOR_ALL(MutatedClaimWindows::oneClaimWindowForAll, Rule.P7_15),
    OPENS_CLAIM_WINDOWS_AT_THE_RELEASE(MutatedClaimWindows.OpensClaimWindowsAtTheRelease::new, Rule.P7_15),
    OPENS_CLAIM_WINDOWS_LATE(MutatedPlaces::openClaimWindowsLate, Rule.P7_15),
    ENDS_RESERVATIONS_WITH_THE_WINDOW(MutatedPlaces::endReservationsWithTheWindow, Rule.P7_15),
    PLACES_LAST_FOR_A_MOMENT(MutatedQueues::placesLastForAMoment, Rule.P7_16),
    PLACES_LAST_FOR_EVER(MutatedQueues::placesLastForEver, Rule.P7_16),
    DROPS_DEAD_FIRST_WAITERS_ONLY(MutatedPlaces::dropsTheFirstOnly, Rule.P7_16),
    SHOWS_THE_DEAD_AMONG_THE_LIVING(MutatedWaiterListings::showTheDead, Rule.P7_16),
    EXPIRED_IS_FOR_ANYONE(MutatedClaimWindows.ExpiredIsForAnyone::new, Rule.P7_8),
    KEPT_IS_FOR_ANYONE(MutatedClaimWindows.KeptIsForAnyone::new, Rule.P7_8),
    KEPT_REFUSES_WAITERS(MutatedMinimumHolds.RefusesWaiters::new, Rule.P7_8),
    ONE_QUEUE_FOR_ALL_NAMES(MutatedQueues::oneQueueForAllNames, Rule.P7_9),
    SORTS_BATCHES(MutatedQueues::sortsBatches, Rule.P7_10),
    TELLS_TO_RETRY_AT_THE_END(MutatedQueues::tellsToRetryAtTheEnd, Rule.P7_11, Rule.P8_8),
    TELLS_THE_SECOND_TO_RETRY_RARELY(MutatedQueues::tellsTheSecondToRetryRarely, Rule.P7_11),
    KEPT_TELLS_TO_RETRY_LATE(MutatedMinimumHolds::tellsToRetryLate, Rule.P7_11),
    RESERVED_TELLS_TO_RETRY_LATE(MutatedPlaces::tellsToRetryLate, Rule.P7_11),

    LOSES_NOTIFICATIONS(MutatedNotifications.LosesAll::new, Rule.P8_1, Rule.P8_7),
    NOTIFIES_OF_THE_LAST_RELEASE_OF_A_BATCH(MutatedSubscriptions.OfTheLastReleaseOfABatch::new, Rule.P8_1),
    NOTIFIES_THE_FIRST_INSTANCE(MutatedSubscriptions.OfTheFirstInstance::new, Rule.P8_1),
    NOTIFIES_OF_USUAL_NAMES(MutatedSubscriptions.OfUsualNames::new, Rule.P8_1),
    LOSES_HALF_OF_ITS_NOTIFICATIONS(MutatedNotifications.LosesHalf::new, Rule.P8_7),
    SUBSCRIBES_AT_ONCE_OR_NEVER(MutatedNotifications::subscribesAtOnceOrNever, Rule.P8_10),
    SUBSCRIBES_A_LISTENER_ONCE(MutatedNotifications::subscribesAListenerOnce, Rule.P8_5),
    DOES_NOT_NOTIFY_OF_MINIMUM_HOLDS(MutatedQueues.DoesNotNotifyOfMinimumHolds::new, Rule.P8_9),
    DOES_NOT_NOTIFY_WHILE_KEPT(MutatedSubscriptions.NotOfWithdrawalsFromKeptLocks::new, Rule.P8_9),
    NOTIFIES_OF_RELEASES_ONLY(MutatedNotifications.OfReleasesOnly::new, Rule.P8_2),
    STARTS_LATE(MutatedNotifications::startsLate, Rule.P8_3),
    HIDES_GAPS(MutatedNotifications::hidesGaps, Rule.P8_4),
    NOTIFIES_AFTER_CLOSE(MutatedNotifications::neverStops, Rule.P8_5),
    NOTIFIES_THE_LATEST_SUBSCRIPTION(MutatedSubscriptions::theLatestOnly, Rule.P8_5),
    CLOSE_ENDS_ALL_SUBSCRIPTIONS(MutatedSubscriptions.UntilAnyStoreIsClosed::new, Rule.P8_5),
    POLLS(MutatedQueues::tellsToPoll, Rule.P8_6),

    LEAKS_CONNECTIONS(MutatedStores::leaksConnections, Rule.P9_1),
    LISTINGS_LEAK_CONNECTIONS(MutatedWaiterListings::leakConnections, Rule.P9_1),
    KEEPS_IDLE_NAMES(MutatedLeases.KeepsIdleNames::new, Rule.P2_5, Rule.P9_2),
    KEEPS_DEAD_WAITERS(MutatedQueues.KeepsDeadWaiters::new, Rule.P9_3),
    COUNTS_ALWAYS_ONE(MutatedSpace::new, Rule.P2_5, Rule.P9_2, Rule.P9_3),
    PRUNES_TOO_MUCH(MutatedLeases.PrunesTooMuch::new, Rule.P9_4),
    LEAVES_THREADS(MutatedConnections::leavesThreads, Rule.P9_5),

    RENEWS_NOTHING(MutatedRenewals.Nothing::new, Rule.P10_1, Rule.P10_5),
    RENEWAL_EXPIRES_EARLY(MutatedRenewals.ExpiresEarly::new, Rule.P10_1),
    RENEWAL_ADDS(MutatedRenewals.Adds::new, Rule.P10_1),
    SOME_RENEWALS_EXTEND_NOTHING(MutatedTimes.SomeRenewalsExtendNothing::new, Rule.P10_1),
    RENEWS_ONCE(MutatedRenewals.Once::new, Rule.P10_5),
    RESURRECTS(MutatedRenewals.Resurrects::new, Rule.P10_2),
    RENEWAL_INSERTS(MutatedRenewals.Inserts::new, Rule.P10_3),
    RENEWS_BY_NAME(MutatedRenewals.ByName::new, Rule.P10_4),
    RENEWAL_SHORTENS(MutatedRenewals.Shortens::new, Rule.P10_6),
    RENEWS_FOR_THE_FIRST_LENGTH(MutatedRenewals.ForTheFirstLength::new, Rule.P10_7),
    LIMITS_RENEWALS(MutatedRenewals.Limits::new, Rule.P10_7),

    SHOWS_THE_FIRST_END(MutatedListings::showsTheFirstEnd, Rule.I1),
    SHOWS_A_LATE_END(MutatedListings::showsALateEnd, Rule.I1),
    SHOWS_ANOTHER_TIME_ZONE(MutatedListings::showsAnotherTimeZone, Rule.I1),
    SHOWS_THE_RENEWAL(MutatedListings::showsTheRenewal, Rule.I1),
    SHOWS_ANOTHER_TOKEN(MutatedListings::showsAnotherToken, Rule.I1),
    OPENS_EXISTING_ELSEWHERE(MutatedSpace::new, Rule.I1),
    HIDES_WHAT_IS_FREE(MutatedListings::hidesWhatIsFree, Rule.I2),
    SHOWS_THE_DEAD(MutatedListings::showsTheDead, Rule.P9_3),
    SHOWS_ONE_PAGE(MutatedListings::showsOnePage, Rule.I4, Rule.I5),
    REPEATS_BETWEEN_PAGES(MutatedListings::repeatsBetweenPages, Rule.I4),
    SHOWS_THE_LAST_FIRST(MutatedListings::showsTheLastFirst, Rule.I2),
    SHOWS_THE_PAST(MutatedListings::showsThePast, Rule.I3),
    SHOWS_THE_LAST_HOLDER(MutatedWaiterListings::showTheLastHolder, Rule.I3),
    SHOWS_THE_LAST_MINIMUM_HOLD(MutatedWaiterListings::showTheLastMinimumHold, Rule.I3),
    USES_THE_PREFIX_AS_A_PATTERN(MutatedListings::usesThePrefixAsAPattern, Rule.I4),
    ORDERS_BY_CODE_UNITS(MutatedListings::ordersByCodeUnits, Rule.I4),
    CUTS_LISTED_NAMES(MutatedWaiterListings::cutNames, Rule.I4),
    HIDES_SOME_HOLDERS(MutatedWaiterListings::hideSomeHolders, Rule.I4),
    LISTING_BLOCKS_COMMANDS(MutatedListings::listingBlocksCommands, Rule.I5),
    SHOWS_ANOTHER_ID(MutatedListings::showsAnotherId, Rule.I6),
    SHOWS_KEPT_AS_HELD(MutatedListings::showsKeptAsHeld, Rule.I7),
    HIDES_WAITERS_OF_KEPT_LOCKS(MutatedWaiterListings::hideThoseOfKeptLocks, Rule.I7),
    SHOWS_NOTHING_IN_AN_OUTAGE(MutatedListings::showsNothingInAnOutage, Rule.I8),
    ENDS_LISTINGS_IN_AN_OUTAGE(MutatedWaiterListings::endInAnOutage, Rule.I8),
    DIAGNOSES_BY_RELEASES(MutatedConnections::diagnosesByReleases, Rule.I9),

    QUEUEING_REPETITIONS_EXTEND(MutatedHistories.QueueingRepetitionsExtend::new, Rule.M1),
    ASKING_ONCE_COSTS_THE_PLACE(MutatedHistories.AskingOnceCostsThePlace::new, Rule.M1),
    ASKING_ONCE_DOES_NOT_CLAIM(MutatedHistories.AskingOnceDoesNotClaim::new, Rule.M1),
    CLAIMS_IGNORE_THE_FLOOR(MutatedHistories.ClaimsIgnoreTheFloor::new, Rule.M1),
    GONE_ON_CONFLICT(MutatedHistories::goneOnConflict, Rule.M1),
    BUSY_ON_CONFLICT(MutatedHistories::busyOnConflict, Rule.M1),
    RENEWALS_DROP_THE_WAITERS(MutatedHistories.RenewalsDropTheWaiters::new, Rule.M1),
    LATE_RELEASES_DROP_THE_FIRST_WAITER(MutatedHistories.LateReleasesDropTheFirstWaiter::new, Rule.M1),
    WITHDRAWALS_FREE_THE_HOLDER(MutatedHistories.WithdrawalsFreeTheHolder::new, Rule.M1),
    RENEWS_A_LITTLE_LATE(MutatedHistories.RenewsALittleLate::new, Rule.M1),
    KEEPS_FIFTY_TOMBSTONES(MutatedHistories.KeepsFiftyTombstones::new, Rule.M1),
    BATCHES_CROSS(MutatedHistories::batchesCross, Rule.M1),
    NAMES_BY_HASH_CODE(MutatedHistories::namesByHashCode, Rule.M1),
    LISTS_TWENTY_WAITERS(MutatedHistories::listsTwentyWaiters, Rule.M1),
    LISTS_NO_LINE_BREAKS(MutatedHistories::listsNoLineBreaks, Rule.M1),
    TOMBSTONES_LAST_FIVE_SECONDS(MutatedHistories.TombstonesLastFiveSeconds::new, Rule.M2),
    A_LONE_DEAD_WAITER_BLOCKS(MutatedHistories.ALoneDeadWaiterBlocks::new, Rule.M2),
    HIDES_QUIET_WAITERS(MutatedHistories.HidesQuietWaiters::new, Rule.M2),
    RESTART_FORGETS_RENEWALS(MutatedHistories.RestartForgetsRenewals::new, Rule.M3),
    RESTART_FORGETS_MINIMUM_HOLDS(MutatedHistories.RestartForgetsMinimumHolds::new, Rule.M3),
    RESTART_FORGETS_TOMBSTONES(MutatedHistories.RestartForgetsTombstones::new, Rule.M3),
    RESTART_REPEATS_A_TOKEN(MutatedHistories.RestartRepeatsAToken::new, Rule.M3),
    REPEATS_UNDER_A_NEW_ID(MutatedHistories::repeatsUnderANewId, Rule.M4);

    private final Set<Rule> broken;
    private final Supplier<MutatedSpace> space;
    private final UnaryOperator<LockStore> store;

    Mutant(Supplier<MutatedSpace> space, Rule... broken) {
        this(space, UnaryOperator.identity(), broken);
    }

    Mutant(UnaryOperator<LockStore> store, Rule... broken) {
        this(MutatedSpace::new, store, broken);
    }

    Mutant(Supplier<MutatedSpace> space, UnaryOperator<LockStore> store, Rule... broken) {
        this.broken = Set.of(broken);
        this.space = space;
        this.store = store;
    }

    /** The rules whose tests must catch it. */
    Set<Rule> broken() {
        return broken;
    }

    MutatedSpace newSpace() {
        return space.get();
    }

    LockStore mutate(LockStore healthy) {
        return store.apply(healthy);
    }
}
