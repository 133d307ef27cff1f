package dev.holdfast.lock.simulation;

/** One rule each that somebody breaks. */
enum RegimeMutant {
    NONE,

    // the primary's
    NO_MARK_CHECK,
    NO_LINEAGE_CHECK,
    NO_ROLE_CHECK,
    /** An install arrives once more, late. */
    INSTALL_RUNS_TWICE,
    COPY_WRITES_NOTHING,
    HIDES_ITS_CLOCK,

    // the authority's
    ASSERTS_OVER_OTHERS,
    ASSERTS_IN_FALLBACK,
    FORGETS_RELEASES,
    FORGETS_MINIMUM_HOLDS,
    LEAVES_ROWS_AT_CROWNING,
    BASE_STAYS,

    // the process's
    SHORT_DRAIN,
    EVERY_GRANT_COUNTS,
    HOLDS_GO_ON_BY_THEMSELVES,
    REGIME_COUNTS_FROM_THE_REPLY,
    KEEPS_NO_MINIMUM_HOLD,
    CARRIES_NOTHING
}
