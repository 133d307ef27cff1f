package dev.holdfast.lock.cli;

import dev.holdfast.lock.LeaseState;
import java.time.Duration;

/**
 * When a command has to go. It takes time to end one, and the time has to come out of the lease: while the lock is not lost
 * yet, but the store no longer answers, the command is told to end at a third of the lease and killed at a sixth.
 *
 * @param length how long the lease lasts when it was just renewed
 */
record Vigil(Duration length) {

    /** Somebody else may hold the lock already; what is left is a courtesy. */
    private static final Duration GRACE_AFTER_LOSS = Duration.ofMillis(200);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);

    /** Whether the command has to go. A renewal that hangs is no better than one that failed, only noticed later. */
    boolean over(LeaseState state, Duration remaining) {
        return switch (state) {
            case HELD -> remaining.compareTo(length.dividedBy(4)) <= 0;
            case UNCONFIRMED -> remaining.compareTo(length.dividedBy(3)) <= 0;
            case LOST, RELEASED -> true;
        };
    }

    /** How long the command may take to end by itself, once it has to go. */
    Duration grace(LeaseState state, Duration remaining) {
        Duration grace = remaining.minus(length.dividedBy(6));
        if (state == LeaseState.LOST) {
            return GRACE_AFTER_LOSS;
        }
        return grace.isNegative() ? Duration.ZERO : grace;
    }

    /** How long nothing has to be looked at, unless the command ends or the lock is lost. */
    Duration pause(Duration remaining) {
        Duration pause = remaining.minus(length.dividedBy(3));
        if (pause.compareTo(SHORTEST_PAUSE) < 0) {
            return SHORTEST_PAUSE;
        }
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }
}
