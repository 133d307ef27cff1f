package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.AcquisitionId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What this process holds, what is kept for its minimum holds, and which ids are remembered to be over. The stores know all of
 * that, too; but what one of them knows may be lost with it.
 */
final class Holds {

    private final Map<AcquisitionId, Held> held = new HashMap<>();
    private final Map<AcquisitionId, Moment> over = new HashMap<>();

    @Nullable
    Held get(AcquisitionId id) {
        return held.get(id);
    }

    void add(Held hold) {
        held.put(hold.id(), hold);
    }

    void remove(AcquisitionId id) {
        held.remove(id);
    }

    /** No acquire of this id is to be carried out until then. */
    void remember(AcquisitionId id, Moment now, Duration length) {
        Moment until = now.plus(length);
        over.merge(id, until, (one, other) -> one.nanos() - other.nanos() > 0 ? one : other);
    }

    boolean isOver(AcquisitionId id, Moment now) {
        Moment until = over.get(id);
        return until != null && until.nanos() - now.nanos() > 0;
    }

    /** What is kept and over, and ids that need not be remembered any more. Leases are removed by their release. */
    void forgetWhatIsOver(Moment now) {
        over.values().removeIf(until -> until.nanos() - now.nanos() <= 0);
        held.values().removeIf(hold -> hold.isKept() && !hold.lasts(now));
    }

    int count(Predicate<Held> which) {
        return (int) held.values().stream().filter(which).count();
    }

    /** So many of them at most. */
    List<Held> some(Predicate<Held> which, int most) {
        return held.values().stream().filter(which).limit(most).toList();
    }
}
