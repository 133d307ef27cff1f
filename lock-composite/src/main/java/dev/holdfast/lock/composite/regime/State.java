package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the parts of a {@link Member} share. */
final class State {

    final Timing timing;
    final Events events;
    final RegimeLease lease;
    final Holds holds = new Holds();
    final Suspicion suspicion = new Suspicion();
    final Fitness fitness;
    /** What speaks against the primary of {@link #accused}; null if nothing does. */
    private @Nullable String evidence;

    /** Whether the authority did not answer when it was asked last. */
    boolean isCutOff;

    private long accused;
    private boolean hasToRead = true;

    State(Timing timing, Events events) {
        this.timing = timing;
        this.events = events;
        this.lease = new RegimeLease(timing.lease());
        this.fitness = new Fitness(timing);
    }

    /** The regime has to be read as soon as possible. */
    void readSoon() {
        hasToRead = true;
    }

    boolean hasToRead() {
        return hasToRead;
    }

    void reads() {
        hasToRead = false;
    }

    /** The primary of this epoch must not go on. */
    void accuse(long epoch, String why) {
        if (epoch > accused) {
            accused = epoch;
            evidence = why;
        }
    }

    /** What speaks against the primary of this epoch; null if nothing does. */
    @Nullable
    String evidenceAgainst(long epoch) {
        return accused == epoch ? evidence : null;
    }

    /**
     * Whether a hold counts: by its own time, and by the regime's. What is only kept for its minimum hold is nobody's to act upon,
     * and needs no regime: its own time is all.
     */
    boolean isValid(Held hold, Moment now) {
        if (hold.isKept()) {
            return hold.lasts(now);
        }
        Moment end = lease.endOf(hold.epoch());
        return end != null && end.isAfter(now) && hold.lasts(now);
    }

    boolean knows(long epoch, Mode mode) {
        Regime regime = lease.regime();
        return regime != null && regime.epoch() == epoch && regime.mode() == mode;
    }

    void tell(RegimeEvent.Kind kind, long epoch, String cause, Duration after, int carried) {
        events.happened(new RegimeEvent(kind, epoch, cause, after, carried));
    }
}
