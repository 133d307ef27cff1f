package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A step to be carried out.
 *
 * @param timeout how long the store may take
 * @param to gets the reply, exactly once, on any thread, possibly before the call returns
 */
public record StoreRequest(Step step, Duration timeout, Consumer<StoreResponse> to) {}
