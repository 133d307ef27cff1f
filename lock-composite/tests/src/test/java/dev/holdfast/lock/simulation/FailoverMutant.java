package dev.holdfast.lock.simulation;

/** Each breaks one rule of the protocol. */
enum FailoverMutant {
    NONE,

    // the primary's
    NO_MARK_CHECK,
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
    SHORT_DRAIN,
    EVERY_GRANT_COUNTS,
    CONFIRMS_BY_ITSELF,
    /** Acts upon a reply for several authority leases too long. */
    GOES_ON_WITHOUT_THE_AUTHORITY,
    TRANSFERS_NO_MINIMUM_HOLD,
    /** A minimum hold is transferred only for as long as a lease would be. */
    TRANSFERS_MINIMUM_HOLDS_AS_LEASES,
    TRANSFERS_NOTHING
}
