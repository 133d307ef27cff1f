package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;

/**
 * A step that was asked of the store.
 *
 * @param sent by {@link System#nanoTime}, before it was asked
 * @param answered the same, when the answer was there
 */
record Asked(Step step, Answer answer, long sent, long answered) {

    boolean isRenewalOf(AcquisitionId id) {
        return step instanceof Step.Renew && step.id().equals(id);
    }
}
