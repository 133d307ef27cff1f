package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.time.DualClockInstant;

/**
 * The outcome of one attempt to send a command.
 *
 * @param sent an instant before this very attempt was sent: a deadline counts from there
 * @param reply the store's reply; {@link LockReply.Unavailable} also if the call failed as a whole
 */
public record StoreReply(DualClockInstant sent, LockReply reply) {}
