package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.regime.Clock;
import dev.holdfast.lock.spi.regime.GrantValidity;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Everything the engine takes from outside.
 *
 * @param clock tells the time
 * @param timers runs what is due
 * @param calls reaches the store
 * @param tenure what grants depend on besides their own time
 * @param signals has the store tell whose turn it is; only used with a store that can
 * @param losses runs what an application does about a loss; never on the thread of the timers
 * @param events runs what listeners do; each listener uses one thread of it at a time
 * @param random for ids and for spreading repetitions
 */
public record EngineContext(
        Clock clock,
        Timers timers,
        StoreExecutor calls,
        GrantValidity tenure,
        Function<Consumer<Signal>, AutoCloseable> signals,
        Executor losses,
        Executor events,
        LongSupplier random) {}
