package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.transport.StoreExecutor;
import dev.holdfast.lock.internal.transport.StoreReply;
import java.util.concurrent.atomic.AtomicInteger;

/** The way to the store, and what is outstanding there. Thread-safe. */
final class StoreCalls {

    private final StoreExecutor store;
    private final StoreAvailability availability;
    /** Commands without a reply, and releases that are repeated. */
    private final AtomicInteger unsettled = new AtomicInteger();

    private volatile Runnable whenSettled = () -> {};

    StoreCalls(StoreExecutor store, StoreAvailability availability) {
        this.store = store;
        this.availability = availability;
    }

    StoreExecutor store() {
        return store;
    }

    /** Counts one more thing that is outstanding, such as a command before it is sent; {@link #settle} has to follow. */
    void expect() {
        unsettled.incrementAndGet();
    }

    /** The store replied to a command, or did not in time. */
    void replied(StoreReply received) {
        availability.replied(received);
    }

    /** What was expected is over: the callback of a command has returned. */
    void settle() {
        if (unsettled.decrementAndGet() == 0) {
            whenSettled.run();
        }
    }

    /** Has a task run whenever nothing is outstanding any more. */
    void whenSettled(Runnable task) {
        whenSettled = task;
    }
}
