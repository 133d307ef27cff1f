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
                        "grants without a record",
                        "Compatible",
                        Model.SMALL.epochs(2).without("record")),
                new Mutant(
                        "grants under any replication id",
                        "Compatible",
                        Model.SMALL.epochs(2).without("replication")),
                new Mutant(
                        "grants by the greatest limit",
                        "Compatible",
                        Model.SMALL.members(1, 1, 0).epochs(1).without("least")),
                new Mutant(
                        "ends all leases by the release of one",
                        "Compatible",
                        Model.SMALL.members(1, 2, 0).epochs(1).without("own")),
                new Mutant(
                        "ends all leases with the first",
                        "Compatible",
                        Model.SMALL.members(1, 2, 0).epochs(1).without("each")),
                new Mutant(
                        "counts a late grant",
                        "Compatible",
                        Model.SMALL.inCalm().without("receipt")),
                new Mutant(
                        "activates the fallback too early",
                        "Compatible",
                        Model.SMALL.inCalm().drain(0)),
                new Mutant(
                        "asserts over the row of another member",
                        "Backed",
                        Model.SMALL.inCalm().without("absent")),
                new Mutant(
                        "asserts beside incompatible leases",
                        "Fitting",
                        Model.SMALL.inCalm().without("beside")),
                new Mutant(
                        "asserts each lease as shared",
                        "Backed",
                        Model.SMALL.inCalm().without("share")),
                new Mutant(
                        "asserts each lease as exclusive",
                        "Carried",
                        Model.SMALL.members(0, 2, 0).inCalm().without("others")),
                new Mutant("copies twice", "Compatible", Model.SMALL.epochs(2).without("once")),
                new Mutant(
                        "fails back without copying",
                        "Compatible",
                        Model.SMALL.epochs(2).without("copy")),
                new Mutant(
                        "copies one lease of several",
                        "Backed",
                        Model.SMALL.members(0, 2, 0).epochs(2).without("all")),
                new Mutant(
                        "copies each lease as shared",
                        "Compatible",
                        Model.SMALL.members(1, 1, 0).epochs(2).without("shares")),
                new Mutant(
                        "installs where copies were lost",
                        "Compatible",
                        Model.SMALL.epochs(2).without("under")),
                new Mutant(
                        "leaves copied rows at the authority",
                        "EmptyUnderPrimary",
                        Model.SMALL.epochs(2).without("remove")),
                new Mutant(
                        "asserts a released lease",
                        "ReleasedForGood",
                        Model.SMALL.inCalm().without("tombstone")),
                new Mutant(
                        "confirms a hold by reading the state",
                        "Compatible",
                        Model.SMALL.lease(2).inCalm().without("confirm")),
                new Mutant(
                        "confirms a hold for any epoch",
                        "Compatible",
                        Model.SMALL.lease(2).inCalm().without("known")),
                new Mutant(
                        "prolongs a lease while grants drain",
                        "Compatible",
                        Model.SMALL.lease(2).inCalm().without("drain")),
                new Mutant(
                        "prolongs a lease by a late reply",
                        "Compatible",
                        Model.SMALL.lease(2).inCalm().without("stale")),
                new Mutant(
                        "asserts a lease by the reply that was received last",
                        "Backed",
                        Model.SMALL.lengths(2).inCalm().without("order")),
                new Mutant(
                        "drains without raising the base",
                        "TokensRise",
                        Model.SMALL.inCalm().without("raise")),
                new Mutant(
                        "lowers the base", "TokensRise", Model.SMALL.epochs(2).without("keep")),
                new Mutant(
                        "grants more tokens than its span",
                        "TokensRise",
                        Model.SMALL.span(0).inCalm().without("span")),
                new Mutant(
                        "asserts a minimum hold only as long as a lease",
                        "MinimumHolds",
                        Model.SMALL.epochs(5).keeping().without("time")),
                new Mutant(
                        "refuses a holder for an earlier minimum hold",
                        "Carried",
                        Model.SMALL.inCalmWithMinimumHolds().without("later")),
                new Mutant(
                        "counts minimum holds in an assertion",
                        "Carried",
                        Model.SMALL.members(0, 2, 1).withFirstGrants().without("single")));
    }

    @Override
    public String toString() {
        return fault;
    }
}
