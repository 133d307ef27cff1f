package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the regime, and until when it may act on it. Rule 1: an answer to what was asked at an instant may be
 * acted upon for a regime lease from that very instant.
 */
final class RegimeLease {

    /** Nothing that is older than this many changes can still be valid. */
    private static final int REMEMBERED = 4;

    private final Duration length;
    private @Nullable Regime regime;
    private @Nullable Moment end;
    private @Nullable Moment seen;
    /** When the regime leases of earlier epochs ended, or end. */
    private final Map<Long, Moment> ends = new HashMap<>();

    RegimeLease(Duration length) {
        this.length = length;
    }

    /** The latest regime that is known; null before the first answer. */
    @Nullable
    Regime regime() {
        return regime;
    }

    /** Whether the latest regime may still be acted upon. */
    boolean isValid(Moment now) {
        return end != null && end.isAfter(now);
    }

    /** When this regime was first heard of, here; not before it began. */
    Moment seen() {
        if (seen == null) {
            throw new IllegalStateException("no regime is known yet");
        }
        return seen;
    }

    /**
     * The authority has answered.
     *
     * @param sent when it was asked
     * @return whether the regime is another than was known
     */
    boolean read(Regime read, Moment sent, Moment now) {
        if (regime != null && isOlder(read, regime)) {
            return false;
        }
        boolean isNew = regime == null || regime.epoch() != read.epoch() || regime.mode() != read.mode();
        if (isNew && regime != null && end != null) {
            freeze(regime, end);
        }
        Moment until = sent.plus(length);
        end = isNew || end == null ? until : until.later(end);
        seen = isNew ? now : seen;
        regime = read;
        return isNew;
    }

    private static boolean isOlder(Regime one, Regime other) {
        return one.epoch() < other.epoch()
                || (one.epoch() == other.epoch()
                        && one.mode() != other.mode()
                        && (one.mode() == Mode.DRAIN || one.mode() == Mode.PREPARE));
    }

    private void freeze(Regime past, Moment its) {
        if (past.mode() != Mode.PREPARE) {
            ends.put(past.epoch(), its);
        }
        if (hasPredecessorsGrants(past)) {
            ends.merge(past.epoch() - 1, its, Moment::later);
        }
        ends.keySet().removeIf(epoch -> epoch < past.epoch() - REMEMBERED);
    }

    /**
     * Whether nothing ended that was granted in the epoch before: what the fallback granted is kept from others while a return to the
     * primary is being prepared, and was copied to the primary before that came to power.
     */
    private static boolean hasPredecessorsGrants(Regime regime) {
        return regime.mode() == Mode.PREPARE || regime.mode() == Mode.PRIMARY;
    }

    /** Until when a hold of this epoch counts, as far as the regime is concerned; null if it does not. */
    @Nullable
    Moment endOf(long epoch) {
        if (regime == null) {
            return null;
        }
        boolean isPresent = regime.epoch() == epoch || (hasPredecessorsGrants(regime) && regime.epoch() == epoch + 1);
        return isPresent ? end : ends.get(epoch);
    }
}
