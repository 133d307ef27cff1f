package dev.holdfast.lock.simulation;

/** One rule each that somebody breaks. */
enum RegimeMutant {
    NONE,

    // the primary's
    NO_MARK_CHECK,
    NO_LINEAGE_CHECK,
    NO_ROLE_CHECK,
    /** An install arrives once more, after everything was lost. */
    INSTALL_RUNS_TWICE,
    COPY_WRITES_NOTHING,
    HIDES_ITS_CLOCK,

    // the authority's
    ASSERTS_WHATEVER_THE_REGIME,
    FORGETS_RELEASES,
    FORGETS_MINIMUM_HOLDS,
    KEPT_STANDS_IN_THE_WAY,
    LEAVES_ROWS_AT_CROWNING,
    BASE_STAYS,

    // the process's
    SHORT_DRAIN,
    EVERY_GRANT_COUNTS,
    HOLDS_GO_ON_BY_THEMSELVES,
    /** Acts on an answer for some regime leases more. */
    GOES_ON_WITHOUT_THE_AUTHORITY,
    KEEPS_NO_MINIMUM_HOLD,
    /** A minimum hold is carried over only for as long as a lease would be. */
    KEEPS_AS_LONG_AS_IT_KNOWS,
    CARRIES_NOTHING
}
