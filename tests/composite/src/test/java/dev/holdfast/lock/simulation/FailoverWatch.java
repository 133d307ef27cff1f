package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.TransferredLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Sees what a failover could break, beyond what {@link Checker} sees of any store. R1: a lease that is renewed is
 * not lost while its process is well. R2: a minimum hold outlasts the changes, however many, if the process that gave it back is well until a
 * store knows and whenever grants drain; if no store in power can be told of it before the lease ends, and no change comes, it is lost. R3: what was released is not asserted any more.
 * R4: a fixed lease that was extended is not lost before the end that its holder was told while its process is well.
 */
final class FailoverWatch {

    /** What was given back, and is kept. */
    private static final class Kept {

        private final FailoverProcess process;
        private final AcquisitionId id;
        private final Share share;
        private final long since;
        private final long until;
        /** How many changes there were before. */
        private final int changes;
        /** A store has answered to the release. */
        private boolean isCertain;

        Kept(FailoverProcess process, AcquisitionId id, Share share, long since, long until, int changes) {
            this.process = process;
            this.id = id;
            this.share = share;
            this.since = since;
            this.until = until;
            this.changes = changes;
        }
    }

    /** When the lock was requested, and under which id. */
    private record GrantRequest(AcquisitionId id, long at) {}

    private final VirtualTime time;
    private final Checker checker;
    private final Set<AcquisitionId> over = new HashSet<>();
    private final Map<LockName, Map<Long, GrantRequest>> requests = new HashMap<>();
    private final Map<LockName, List<Kept>> kept = new HashMap<>();
    /** Negative while grants do not drain. */
    private long drainingSince = -1;

    private int changes;

    FailoverWatch(VirtualTime time) {
        this.time = time;
        this.checker = new Checker(time, true);
    }

    Checker checker() {
        return checker;
    }

    /** A store's token got to a process, which had asked for it then. */
    void granted(LockName name, AcquisitionId id, long token, long since) {
        requests.computeIfAbsent(name, any -> new HashMap<>()).putIfAbsent(token, new GrantRequest(id, since));
    }

    Checker.HeldLease held(FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder hold) {
        List<Kept> keptShares = keptOf(name);
        keptShares.removeIf(entry -> entry.until <= time.now());
        if (!isCompatible(name, terms.share(), keptShares)) {
            keptShares.removeIf(entry -> !counts(entry)); // it may have been lost, and this is granted in its place
            checker.that(
                    keptShares.isEmpty() || isCompatible(name, terms.share(), keptShares),
                    "R2: '%s' was granted though it is kept by a minimum hold",
                    name);
        }
        long since = time.now();
        hold.onLoss(loss -> checker.note(
                !terms.renewed() || process.isDead() || process.troubledUntil() + wellFor(terms) > time.now(),
                "R1: a process that was well for long lost '%s', which it had for %,d ms: %s",
                name,
                (time.now() - since) / 1_000_000,
                loss.getMessage()));
        return checker.held(process, name, hold, terms.share());
    }

    private List<Kept> keptOf(LockName name) {
        return kept.computeIfAbsent(name, any -> new ArrayList<>());
    }

    private boolean isCompatible(LockName name, Share granted, List<Kept> keptShares) {
        List<Share> shares = new ArrayList<>(checker.validShares(name));
        shares.add(granted);
        keptShares.forEach(entry -> shares.add(entry.share));
        return Share.areCompatible(shares);
    }

    private boolean counts(Kept entry) {
        return !entry.process.isDead()
                && (entry.isCertain || (entry.changes != changes && entry.process.troubledUntil() <= entry.since));
    }

    private static long wellFor(LeaseOptions terms) {
        return terms.length().toNanos();
    }

    /** Its holder was told that it lasts until then. */
    void extended(FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder hold, long until) {
        hold.onLoss(loss -> checker.note(
                process.isDead() || process.troubledUntil() + wellFor(terms) > time.now() || time.now() >= until,
                "R4: a process that was well for long lost '%s' %,d ms before the end that it was told: %s",
                name,
                (until - time.now()) / 1_000_000,
                loss.getMessage()));
    }

    /** It was given back while it was held. */
    void released(FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder hold) {
        GrantRequest request = requests.get(name).get(hold.fencingToken() / 256);
        Duration shortest = terms.minimumHold().minus(terms.minimumHold().dividedBy(500));
        if (!shortest.isZero()) {
            keptOf(name).removeIf(entry -> entry.until <= time.now());
            keptOf(name)
                    .add(new Kept(
                            process,
                            request.id(),
                            terms.share(),
                            request.at(),
                            request.at() + shortest.toNanos(),
                            changes));
        }
    }

    /**
     * Its release was answered: from now on its process is needed only where grants drain.
     *
     * @param wasHeld whether the store knew of its lease yet
     */
    void over(LockName name, AcquisitionId id, boolean wasHeld) {
        over.add(id);
        keptOf(name).removeIf(entry -> entry.id.equals(id) && isLostAtRelease(entry, wasHeld));
    }

    private boolean isLostAtRelease(Kept entry, boolean wasHeld) {
        if (entry.isCertain) {
            return false;
        }
        entry.isCertain = true;
        return entry.process.troubledUntil() > entry.since || (!wasHeld && entry.changes == changes);
    }

    /** A transition was made. Once grants have drained, a minimum hold of a process that was in trouble meanwhile may be lost. */
    void changed(FailoverPhase phase) {
        changes++;
        if (phase == FailoverPhase.DRAINING) {
            drainingSince = time.now();
        } else if (phase == FailoverPhase.FALLBACK && drainingSince >= 0) {
            long from = drainingSince;
            drainingSince = -1;
            kept.values()
                    .forEach(ofName ->
                            ofName.removeIf(entry -> entry.process.isDead() || entry.process.troubledUntil() > from));
        }
    }

    /** A clock that ends minimum holds was set ahead. */
    void clockStepped() {
        kept.clear();
    }

    void asserted(TransferredLease grant) {
        checker.that(
                grant.minimumHoldOnly() || !over.contains(grant.id()),
                "R3: '%s' was asserted after its release was answered",
                grant.name());
    }
}
