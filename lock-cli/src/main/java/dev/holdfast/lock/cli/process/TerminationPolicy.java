package dev.holdfast.lock.cli.process;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;

/**
 * Decides when a command has to end. Ending it takes time, which has to come out of the lease: if the store stops answering
 * while the lock is still held, the command gets TERM when a third of the lease is left and KILL when a sixth is left.
 *
 * @param leaseDuration the longest time that the lease has had left: the length of the lease after a renewal, or less
 */
record TerminationPolicy(Duration leaseDuration) {

    /** Another process may hold the lock already. */
    private static final Duration GRACE_AFTER_LOSS = Duration.ofMillis(200);

    private static final Duration MAX_PAUSE = Duration.ofSeconds(1);
    private static final Duration MIN_PAUSE = Duration.ofMillis(10);

    /** Whether the command has to end. A hanging renewal counts like a failed one, which is noticed earlier. */
    boolean mustTerminate(LeaseState state, Duration remaining) {
        return switch (state) {
            case HELD -> remaining.compareTo(leaseDuration.dividedBy(4)) <= 0;
            case UNCONFIRMED -> remaining.compareTo(leaseDuration.dividedBy(3)) <= 0;
            case LOST, RELEASED -> true;
        };
    }

    /** How long the command may take to end by itself, between TERM and KILL. */
    Duration gracePeriod(LeaseState state, Duration remaining) {
        Duration grace = remaining.minus(leaseDuration.dividedBy(6));
        if (state == LeaseState.LOST) {
            return GRACE_AFTER_LOSS;
        }
        return Durations.max(grace, Duration.ZERO);
    }

    /** How long the lease need not be checked, unless the command ends or the lock is lost. */
    Duration pause(Duration remaining) {
        Duration pause = remaining.minus(leaseDuration.dividedBy(3));
        return Durations.max(MIN_PAUSE, Durations.min(pause, MAX_PAUSE));
    }
}
