package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds, what is kept for its minimum holds, and which ids are remembered to be over. The stores know all of
 * that, too; but what one of them knows may be lost with it.
 */
final class Holds {

    private final Map<Claim, Held> held = new HashMap<>();
    private final Map<Claim, Moment> over = new HashMap<>();
    /** What was given back while it counted, until when it would have, as long as no store has answered to that. */
    private final Map<Claim, Moment> givenBack = new HashMap<>();

    private final Set<Claim> refused = new HashSet<>();

    @Nullable
    Held get(Claim claim) {
        return held.get(claim);
    }

    void add(Held hold) {
        held.put(hold.claim(), hold);
    }

    void remove(Claim claim) {
        held.remove(claim);
    }

    /** No acquire of this id is to be carried out until then. */
    void remember(Claim claim, Moment now, Duration length) {
        over.merge(claim, now.plus(length), Moment::later);
    }

    boolean isOver(Claim claim, Moment now) {
        return !overFor(claim, now).isZero();
    }

    /** For how long it is to be remembered yet; zero if it is not. */
    Duration overFor(Claim claim, Moment now) {
        Moment until = over.get(claim);
        Duration left = until == null ? Duration.ZERO : now.until(until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** It was held until its release, whatever a store says that is asked again. */
    void giveBack(Held hold) {
        givenBack.put(hold.claim(), hold.deadline());
    }

    /** Its release was refused, and is going to be repeated. */
    void refused(Claim claim) {
        if (givenBack.containsKey(claim)) {
            refused.add(claim);
        }
    }

    /** Whether it was held until its release, which was refused so far. */
    boolean wasGivenBack(Claim claim) {
        return refused.contains(claim);
    }

    /** A store has answered to its release. */
    void answered(Claim claim) {
        givenBack.remove(claim);
        refused.remove(claim);
    }

    /** What is kept and over, and ids that need not be remembered any more. Leases are removed by their release. */
    void forgetWhatIsOver(Moment now) {
        over.values().removeIf(until -> until.nanos() - now.nanos() <= 0);
        givenBack.values().removeIf(until -> !until.isAfter(now));
        refused.retainAll(givenBack.keySet());
        held.values().removeIf(hold -> hold.isKept() && !hold.lasts(now));
    }

    int count(Predicate<Held> which) {
        return (int) held.values().stream().filter(which).count();
    }

    /** How many leases and ids are known. */
    int size() {
        return held.size() + over.size() + givenBack.size();
    }

    /** So many of them at most. */
    List<Held> some(Predicate<Held> which, int most) {
        return held.values().stream().filter(which).limit(most).toList();
    }
}
