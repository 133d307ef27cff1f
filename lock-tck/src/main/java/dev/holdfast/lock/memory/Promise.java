package dev.holdfast.lock.memory;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.QueueTimes;
import java.time.Instant;

/**
 * That a free lock is kept for the first in the queue.
 *
 * @param id who that is
 * @param since when the lock became free, or that one the first
 */
record Promise(AcquisitionId id, Instant since) {

    Instant until() {
        return since.plus(QueueTimes.RESERVATION);
    }

    /** As for {@link Ticket#isDead}. */
    boolean isOver(Instant now) {
        return now.isBefore(since) || !now.isBefore(until());
    }
}
