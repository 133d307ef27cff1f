package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Hold;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.Carried;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Sees what a change of the regime could break, beyond what {@link Checker} sees of any store. R1: a lease that is renewed is
 * not lost while its process is well. R2: a minimum hold outlasts the change while the process that gave it back is well.
 * R3: what was released is not asserted any more.
 */
final class RegimeWatch {

    private record Kept(RegimeProcess process, long since, long until) {}

    private final VirtualTime time;
    private final Checker checker;
    private final Set<AcquisitionId> over = new HashSet<>();
    private final Map<LockName, Map<Long, Long>> askedAt = new HashMap<>();
    private final Map<LockName, Kept> kept = new HashMap<>();

    RegimeWatch(VirtualTime time) {
        this.time = time;
        this.checker = new Checker(time, true);
    }

    Checker checker() {
        return checker;
    }

    /** A store's token got to a process, which had asked for it then. */
    void granted(LockName name, long token, long since) {
        askedAt.computeIfAbsent(name, any -> new HashMap<>()).putIfAbsent(token, since);
    }

    Checker.Hold held(RegimeProcess process, LockName name, Terms terms, Hold hold) {
        Kept before = kept.get(name);
        checker.that(
                before == null
                        || before.until() <= time.now()
                        || before.process().isDead()
                        || before.process().troubledUntil() > before.since(),
                "R2: '%s' was granted though it is kept by a minimum hold",
                name);
        long since = time.now();
        hold.onLoss(loss -> checker.note(
                !terms.renewed() || process.isDead() || process.troubledUntil() + wellFor(terms) > time.now(),
                "R1: a process that was well for long lost '%s', which it had for %,d ms: %s",
                name,
                (time.now() - since) / 1_000_000,
                loss.getMessage()));
        return checker.held(process, name, hold);
    }

    private static long wellFor(Terms terms) {
        return terms.length().toNanos();
    }

    /** It was given back while it was held. */
    void released(RegimeProcess process, LockName name, Terms terms, Hold hold) {
        long since = askedAt.get(name).get(hold.applicationToken() / 256);
        Duration shortest = terms.minimumHold().minus(terms.minimumHold().dividedBy(500));
        if (!shortest.isZero()) {
            kept.put(name, new Kept(process, since, since + shortest.toNanos()));
        }
    }

    /** Its release was answered. */
    void over(AcquisitionId id) {
        over.add(id);
    }

    void asserted(Carried grant) {
        checker.that(
                grant.kept() || !over.contains(grant.id()),
                "R3: '%s' was asserted after its release was answered",
                grant.name());
    }
}
