package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.regime.DualClockInstant;

/**
 * What came of one attempt to have a step carried out.
 *
 * @param sent an instant before this very attempt was sent: what a deadline counts from
 * @param answer the store's answer; {@link Answer.Unavailable} also if the call failed as a whole
 */
public record StoreResponse(DualClockInstant sent, Answer answer) {}
