package dev.holdfast.lock.composite.specification;

/** The protocol with one rule broken, in the bounds in which that shows, and what it breaks. */
enum Mutant {
    GRANTS_WITHOUT_A_MARK("Mutex", Model.SMALL.epochs(2).without("mark")),
    GRANTS_IN_ANY_LINEAGE("Mutex", Model.SMALL.epochs(2).without("lineage")),
    COUNTS_WHAT_COMES_LATE("Mutex", Model.SMALL.inCalm().without("receipt")),
    OPENS_TOO_SOON("Mutex", Model.SMALL.inCalm().drain(0)),
    ASSERTS_OVER_ANOTHER("Backed", Model.SMALL.inCalm().without("absent")),
    COPIES_TWICE("Mutex", Model.SMALL.epochs(2).without("once")),
    COMES_BACK_WITHOUT_COPYING("Mutex", Model.SMALL.epochs(2).without("copy")),
    INSTALLS_WHERE_COPIES_WERE_LOST("Mutex", Model.SMALL.epochs(2).without("draft")),
    LEAVES_WHAT_WAS_COPIED("EmptyUnderPrimary", Model.SMALL.epochs(2).without("clear")),
    ASSERTS_WHAT_WAS_RELEASED("ReleasedForGood", Model.SMALL.inCalm().without("remember")),
    HOLDS_ON_BY_READING("Mutex", Model.SMALL.lease(2).inCalm().without("word")),
    CONFIRMS_FOR_ANY_EPOCH("Mutex", Model.SMALL.lease(2).inCalm().without("known")),
    RENEWS_WHILE_THE_DEPOSED_GRANT("Mutex", Model.SMALL.lease(2).inCalm().without("patience")),
    RENEWS_BY_AN_OLD_ANSWER("Backed", Model.SMALL.lease(2).inCalm().without("stale")),
    DEPOSES_WITHOUT_RAISING_THE_BASE("TokensRise", Model.SMALL.inCalm().without("raise")),
    LOWERS_THE_BASE("TokensRise", Model.SMALL.epochs(2).without("keep")),
    GRANTS_BEYOND_ITS_TOKENS("TokensRise", Model.SMALL.span(0).inCalm().without("span"));

    final String breaks;
    final Model model;

    Mutant(String breaks, Model model) {
        this.breaks = breaks;
        this.model = model;
    }
}
