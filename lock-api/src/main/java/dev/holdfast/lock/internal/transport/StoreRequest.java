package dev.holdfast.lock.internal.transport;

import dev.holdfast.lock.spi.LockCommand;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

/** A command to be sent. Until a thread takes it in order to send it, it can be taken back. Thread-safe. */
public final class StoreRequest {

    private static final AtomicIntegerFieldUpdater<StoreRequest> TAKEN =
            AtomicIntegerFieldUpdater.newUpdater(StoreRequest.class, "taken");

    private final LockCommand command;
    private final Duration timeout;
    private final Consumer<StoreReply> callback;

    /** 1 once it is taken. */
    @SuppressWarnings("unused") // by TAKEN
    private volatile int taken;

    /**
     * A request that is not sent yet.
     *
     * @param timeout how long the store may take
     * @param callback receives the reply, exactly once unless the request is taken back, on any thread, possibly before the call
     *     returns
     */
    public StoreRequest(LockCommand command, Duration timeout, Consumer<StoreReply> callback) {
        this.command = command;
        this.timeout = timeout;
        this.callback = callback;
    }

    public LockCommand command() {
        return command;
    }

    public Duration timeout() {
        return timeout;
    }

    public Consumer<StoreReply> callback() {
        return callback;
    }

    /** Takes it, in order to send it or to take it back. Returns false if it is taken already. */
    public boolean take() {
        return TAKEN.compareAndSet(this, 0, 1);
    }
}
