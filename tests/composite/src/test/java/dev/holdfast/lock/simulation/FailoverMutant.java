package dev.holdfast.lock.simulation;

import dev.holdfast.lock.composite.protocol.BrokenRule;

/** Each breaks one rule of the protocol. */
enum FailoverMutant {
    NONE,

    // the primary's
    NO_RECORD_CHECK,
    NO_REPLICATION_ID_CHECK,
    NO_ROLE_CHECK,
    /** An install is delivered a second time, after the data was lost. */
    INSTALL_RUNS_TWICE,
    COPY_WRITES_NOTHING,
    HIDES_ITS_CLOCK,

    // the authority's
    ASSERTS_IN_ANY_STATE,
    FORGETS_RELEASES,
    FORGETS_MINIMUM_HOLDS,
    KEPT_STANDS_IN_THE_WAY,
    LEAVES_ROWS_AT_ACTIVATION,
    BASE_STAYS,

    // the process's
    SHORT_DRAIN(BrokenRule.WITHOUT_DRAIN),
    EVERY_GRANT_COUNTS(BrokenRule.ACCEPTING_LATE_GRANTS),
    CONFIRMS_BY_ITSELF(BrokenRule.CONFIRMING_BY_ITSELF),
    /** Acts upon a reply for several authority leases too long. */
    GOES_ON_WITHOUT_THE_AUTHORITY,
    TRANSFERS_NO_MINIMUM_HOLD(BrokenRule.WITHOUT_MINIMUM_HOLDS),
    /** A minimum hold is transferred only for as long as a lease would be. */
    TRANSFERS_MINIMUM_HOLDS_AS_LEASES(BrokenRule.TRANSFERRING_MINIMUM_HOLDS_AS_LEASES),
    TRANSFERS_NOTHING(BrokenRule.WITHOUT_TRANSFER),
    MOVES_DEADLINES_BACK(BrokenRule.MOVING_DEADLINES_BACK),
    SHORTENS_LEASES(BrokenRule.SHORTENING_LEASES);

    /** The rule that the members break. */
    final BrokenRule rule;

    FailoverMutant() {
        this(BrokenRule.NONE);
    }

    FailoverMutant(BrokenRule rule) {
        this.rule = rule;
    }
}
