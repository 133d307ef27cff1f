package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockCommand;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A command to be sent.
 *
 * @param timeout how long the store may take
 * @param callback receives the reply, exactly once, on any thread, possibly before the call returns
 */
public record StoreRequest(LockCommand command, Duration timeout, Consumer<StoreReply> callback) {}
