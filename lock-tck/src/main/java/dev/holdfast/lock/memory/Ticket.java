package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.QueueTimes;
import java.time.Instant;

/**
 * A place in a queue.
 *
 * @param owner what its waiter said of itself
 * @param seen when its waiter last asked
 */
record Ticket(String owner, Instant seen) {

    /** A ticket from the future was written before the clock was set back; its waiter, if it lives, asks for another. */
    boolean isDead(Instant now) {
        return now.isBefore(seen) || !now.isBefore(seen.plus(QueueTimes.TICKET));
    }
}
