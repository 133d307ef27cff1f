package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * All intervals of the protocol, each in proportion to the authority lease.
 *
 * @param lease the time for which a reply of the authority may be acted upon, from the instant the request was sent
 */
public record Timing(Duration lease) {

    /** Two clocks may differ in rate by one thousandth each; one percent allows for more. */
    private static final int DRAIN_PERCENT = 101;

    private static final int MAX_BACK_OFF_SHIFT = 4;

    /** The interval at which the authority state is read. */
    public Duration readInterval() {
        return lease.dividedBy(3);
    }

    /** The interval at which the health of the primary is checked. */
    public Duration healthCheckInterval() {
        return lease.dividedBy(6);
    }

    /** The interval at which a task is retried, or a store is polled, while a transition or a failure is in progress. */
    public Duration retryInterval() {
        return lease.dividedBy(20);
    }

    /** The time for which the primary may be silent before it is suspected; also the timeout of a health check. */
    public Duration suspicionTimeout() {
        return lease.dividedBy(5);
    }

    /** The time after which every authority lease that was requested before has lapsed, by the clock of any process. */
    public Duration drain() {
        return lease.multipliedBy(DRAIN_PERCENT).dividedBy(100);
    }

    /** The time for which a primary must be healthy before it returns to power, after this many failovers in a row. */
    public Duration healthyTime(int falls) {
        return lease.multipliedBy(6L << Math.min(Math.max(0, falls - 1), MAX_BACK_OFF_SHIFT));
    }

    /** The time after which a failback that is still in progress is aborted. */
    public Duration failbackTimeout() {
        return lease.dividedBy(2);
    }

    /** How far the clock that expires keys may run ahead of the local clocks between two health checks. */
    public Duration clockTolerance() {
        return lease.dividedBy(10);
    }

    /** The time within which a failed primary is drained, if a majority of members sees the failure: two health checks time out. */
    public Duration detection() {
        return healthCheckInterval().plus(suspicionTimeout().multipliedBy(2)).plus(retryInterval());
    }

    /**
     * The shortest lease that survives a failover, in whole milliseconds. No renewal counts from the failure of the primary until
     * the fallback is activated: that takes the detection and the drain. Two thirds of a lease are left when it is due for renewal.
     *
     * @param callTimeout the time that a call may take; no call takes longer than a third of its lease
     */
    public Duration shortestLease(Duration callTimeout) {
        Duration failover = detection().plus(drain());
        return Durations.min(callTimeout, failover)
                .plus(failover)
                .multipliedBy(3)
                .dividedBy(2)
                .plus(Duration.ofMillis(1).minusNanos(1))
                .truncatedTo(ChronoUnit.MILLIS);
    }
}
