package dev.holdfast.lock.composite.regime;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How long things take, all of them in proportion to the regime lease.
 *
 * @param lease for how long an answer of the authority may be acted upon, from the instant it was asked for
 */
public record Timing(Duration lease) {

    /** Two clocks may differ in rate by one thousandth each; this is more than that takes. */
    private static final int DRAIN_PERCENT = 101;

    private static final int LONGEST_BACK_OFF = 4;

    /** How often the authority is asked. */
    public Duration reading() {
        return lease.dividedBy(3);
    }

    /** How often the primary is looked at. */
    public Duration looking() {
        return lease.dividedBy(6);
    }

    /** How often something is tried or looked at that is going on right now. */
    public Duration urgency() {
        return lease.dividedBy(20);
    }

    /** For how long the primary may be out of reach before it is suspected; and how long a look at it may take. */
    public Duration suspicion() {
        return lease.dividedBy(5);
    }

    /** After this long every regime lease has lapsed that was asked for before, whoever's clock it went by. */
    public Duration drain() {
        return lease.multipliedBy(DRAIN_PERCENT).dividedBy(100);
    }

    /** For how long a primary must be well before it returns to power, if it fell so often in a row. */
    public Duration health(int falls) {
        return lease.multipliedBy(6L << Math.min(Math.max(0, falls - 1), LONGEST_BACK_OFF));
    }

    /** For how long a return to the primary may be under way before whoever sees it breaks it off. */
    public Duration preparation() {
        return lease.dividedBy(2);
    }

    /** How far a clock that expires keys may run ahead of ours between two looks at it. */
    public Duration clockStep() {
        return lease.dividedBy(10);
    }

    /** How soon a primary that has ended is deposed, if most can tell: until a look at it, and one more, was in vain. */
    public Duration deposition() {
        return looking().plus(suspicion().multipliedBy(2)).plus(urgency());
    }

    /**
     * The shortest lease that survives a failover, in whole milliseconds. No renewal counts from the primary's end until the
     * fallback opens: that takes until it is deposed, and until all regime leases have lapsed. Two thirds of a lease are left when
     * it is to be renewed.
     */
    public Duration shortestLease(Duration callTimeout) {
        return callTimeout
                .plus(deposition())
                .plus(drain())
                .multipliedBy(3)
                .dividedBy(2)
                .plus(Duration.ofMillis(1).minusNanos(1))
                .truncatedTo(ChronoUnit.MILLIS);
    }
}
