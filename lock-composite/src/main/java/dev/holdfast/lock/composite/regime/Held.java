package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Carried;
import java.time.Duration;

/** A lock that this process holds, or that is kept for a minimum hold of its. */
final class Held {

    /** A clock by which this was measured may be slower than the store's by one thousandth, and this is more. */
    private static final int CLOCK_SLACK = 500;

    private final Claim claim;
    private final long token;
    private final Moment since;
    private final Duration length;
    private final String owner;
    private Moment deadline;
    private long epoch;
    private boolean kept;
    private long assertedInto;

    /**
     * What was just granted.
     *
     * @param length of its lease, as it was asked for
     * @param deadline until when it lasts unless renewed
     * @param epoch in which it was granted
     */
    Held(Claim claim, long token, Moment since, Duration length, Moment deadline, long epoch, String owner) {
        this.claim = claim;
        this.token = token;
        this.since = since;
        this.length = length;
        this.deadline = deadline;
        this.epoch = epoch;
        this.owner = owner;
    }

    Claim claim() {
        return claim;
    }

    long token() {
        return token;
    }

    /** The epoch of which a store last said that this is held. */
    long epoch() {
        return epoch;
    }

    void confirmed(long in) {
        epoch = Math.max(epoch, in);
    }

    void lastsUntil(Moment until) {
        deadline = until;
    }

    Moment deadline() {
        return deadline;
    }

    Moment since() {
        return since;
    }

    /** Its assertion in this epoch is on its way; whether and when it arrives nobody knows, though a later one be answered. */
    void asserting(long into) {
        assertedInto = into;
    }

    /** For how long an assertion that comes later than the release is to come to nothing: as a late acquire of this lease would. */
    Duration length() {
        return length;
    }

    boolean mayBeAsserted(long into) {
        return assertedInto == into;
    }

    boolean isKept() {
        return kept;
    }

    /** Nobody holds it any more, but it stays busy until this long after it was granted. */
    void keep(Duration minimum) {
        kept = true;
        deadline = since.plus(minimum);
    }

    boolean lasts(Moment now) {
        return deadline.isAfter(now);
    }

    /** As it is carried to another store: it lasts there until its holder's time is over by whatever clock, or longer. */
    Carried carried(Moment now) {
        Duration left = deadline.after(now);
        return new Carried(
                claim.name(), claim.id(), token, since.until(now), left.plus(left.dividedBy(CLOCK_SLACK)), kept, owner);
    }
}
