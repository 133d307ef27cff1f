package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The authority state that this process knows, and the end of the time in which it may act upon it. Rule 1: a reply may be acted
 * upon for one authority lease from the instant the request was <em>sent</em>.
 */
final class AuthorityLease {

    /** No hold that is older than this many transitions can still be valid. */
    private static final int REMEMBERED_EPOCHS = 4;

    /**
     * The knowledge at one instant. Immutable, so that any thread reads it without a lock.
     *
     * @param authorityState the authority state
     * @param end the end of the time in which it may be acted upon
     * @param firstSeen when this process first learned of it; not before it began
     * @param earlierEnds for each earlier epoch, the instant until which its holds count
     */
    record Snapshot(
            AuthorityState authorityState,
            DualClockInstant end,
            DualClockInstant firstSeen,
            Map<Long, DualClockInstant> earlierEnds) {

        boolean isValid(DualClockInstant now) {
            return end.isAfter(now);
        }

        boolean isIn(long epoch, FailoverPhase phase) {
            return authorityState.epoch() == epoch && authorityState.phase() == phase;
        }

        /** The end of the holds of this epoch, as far as the authority lease is concerned; null if they do not count. */
        @Nullable
        DualClockInstant endOf(long epoch) {
            return prolongs(epoch) ? end : earlierEnds.get(epoch);
        }

        /** Whether each further reply prolongs the holds of this epoch. */
        boolean prolongs(long epoch) {
            return authorityState.epoch() == epoch
                    || (keepsPreviousGrants(authorityState) && authorityState.epoch() == epoch + 1);
        }
    }

    private final Duration length;
    private volatile @Nullable Snapshot snapshot;

    AuthorityLease(Duration length) {
        this.length = length;
    }

    /** The latest snapshot; null before the first reply. May be called by any thread. */
    @Nullable
    Snapshot snapshot() {
        return snapshot;
    }

    /** The latest authority state; null before the first reply. */
    @Nullable
    AuthorityState authorityState() {
        Snapshot known = snapshot;
        return known == null ? null : known.authorityState();
    }

    /** The time for which this process has known the present authority state. */
    Duration knownFor(DualClockInstant now) {
        Snapshot known = snapshot;
        return known == null ? Duration.ZERO : known.firstSeen().until(now);
    }

    /** Whether the latest authority state may still be acted upon. */
    boolean isValid(DualClockInstant now) {
        Snapshot known = snapshot;
        return known != null && known.isValid(now);
    }

    /**
     * Takes in a reply of the authority with the state that is known, or a later one.
     *
     * @param sent when the request was sent
     * @return whether the state differs from the one known before
     */
    boolean read(AuthorityState read, DualClockInstant sent, DualClockInstant now) {
        Snapshot before = snapshot;
        DualClockInstant end = sent.plus(length);
        if (before == null) {
            snapshot = new Snapshot(read, end, now, Map.of());
            return true;
        }
        boolean isNew = !before.isIn(read.epoch(), read.phase());
        snapshot = isNew
                ? new Snapshot(read, end, now, frozen(before))
                : new Snapshot(read, end.later(before.end()), before.firstSeen(), before.earlierEnds());
        return isNew;
    }

    /** Whether one state came before the other. */
    static boolean isOlder(AuthorityState one, AuthorityState other) {
        return one.epoch() < other.epoch()
                || (one.epoch() == other.epoch()
                        && one.phase() != other.phase()
                        && !one.phase().grants());
    }

    /** The ends of holds once this state has been superseded: no later reply moves them. */
    private static Map<Long, DualClockInstant> frozen(Snapshot past) {
        long epoch = past.authorityState().epoch();
        Map<Long, DualClockInstant> ends = new HashMap<>(past.earlierEnds());
        if (past.authorityState().phase() != FailoverPhase.FAILING_BACK) {
            ends.put(epoch, past.end());
        }
        if (keepsPreviousGrants(past.authorityState())) {
            ends.merge(epoch - 1, past.end(), DualClockInstant::later);
        }
        ends.keySet().removeIf(earlier -> earlier < epoch - REMEMBERED_EPOCHS);
        return Map.copyOf(ends);
    }

    /**
     * Whether holds of the previous epoch stay valid: grants of the fallback are protected while a failback is in progress, and
     * were copied to the primary before the primary was activated.
     */
    private static boolean keepsPreviousGrants(AuthorityState current) {
        return current.phase() == FailoverPhase.FAILING_BACK || current.phase() == FailoverPhase.PRIMARY;
    }
}
