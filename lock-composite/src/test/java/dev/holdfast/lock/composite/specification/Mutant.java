package dev.holdfast.lock.composite.specification;

import java.util.stream.Stream;

/**
 * The protocol with one rule broken.
 *
 * @param fault what it does wrong
 * @param breaks the invariant that this breaks
 * @param model the bounds in which that shows
 */
record Mutant(String fault, String breaks, Model model) {

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant(
                        "grants without a mark", "Mutex", Model.SMALL.epochs(2).without("mark")),
                new Mutant(
                        "grants in any lineage", "Mutex", Model.SMALL.epochs(2).without("lineage")),
                new Mutant(
                        "counts what comes late", "Mutex", Model.SMALL.inCalm().without("receipt")),
                new Mutant("opens too soon", "Mutex", Model.SMALL.inCalm().drain(0)),
                new Mutant(
                        "asserts over another", "Backed", Model.SMALL.inCalm().without("absent")),
                new Mutant("copies twice", "Mutex", Model.SMALL.epochs(2).without("once")),
                new Mutant(
                        "comes back without copying",
                        "Mutex",
                        Model.SMALL.epochs(2).without("copy")),
                new Mutant(
                        "installs where copies were lost",
                        "Mutex",
                        Model.SMALL.epochs(2).without("under")),
                new Mutant(
                        "leaves what was copied",
                        "EmptyUnderPrimary",
                        Model.SMALL.epochs(2).without("clear")),
                new Mutant(
                        "asserts what was released",
                        "ReleasedForGood",
                        Model.SMALL.inCalm().without("remember")),
                new Mutant(
                        "holds on by reading",
                        "Mutex",
                        Model.SMALL.lease(2).inCalm().without("word")),
                new Mutant(
                        "confirms for any epoch",
                        "Mutex",
                        Model.SMALL.lease(2).inCalm().without("known")),
                new Mutant(
                        "renews while the deposed grant",
                        "Mutex",
                        Model.SMALL.lease(2).inCalm().without("patience")),
                new Mutant(
                        "renews by an old answer",
                        "Mutex",
                        Model.SMALL.lease(2).inCalm().without("stale")),
                new Mutant(
                        "deposes without raising the base",
                        "TokensRise",
                        Model.SMALL.inCalm().without("raise")),
                new Mutant(
                        "lowers the base", "TokensRise", Model.SMALL.epochs(2).without("keep")),
                new Mutant(
                        "grants beyond its tokens",
                        "TokensRise",
                        Model.SMALL.span(0).inCalm().without("span")),
                new Mutant(
                        "carries a minimum hold as long as a lease",
                        "MinimumHolds",
                        Model.SMALL.epochs(5).keeping().without("time")),
                new Mutant(
                        "keeps from a holder what was kept before",
                        "HoldersFirst",
                        Model.SMALL.inCalmWithMinimumHolds().without("later")));
    }

    @Override
    public String toString() {
        return fault;
    }
}
