package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.GrantValidity;
import dev.holdfast.lock.spi.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Everything the engine takes from outside.
 *
 * @param clock tells the time
 * @param timers run what is due
 * @param store carries commands to the store
 * @param validity what grants depend on besides their own time
 * @param notifications subscribes to the store; used only if the store can notify
 * @param losses runs the loss listeners of applications; never fails, and never runs them on the thread that submits them
 * @param events runs lock listeners in the same way, each on one thread at a time, and what writes to the log
 * @param random for ids and for spreading repetitions
 * @param log what operators see of leases and the store
 */
public record EngineContext(
        Clock clock,
        Timers timers,
        StoreExecutor store,
        GrantValidity validity,
        Function<Consumer<Notification>, AutoCloseable> notifications,
        Executor losses,
        Executor events,
        LongSupplier random,
        Logger log) {}
