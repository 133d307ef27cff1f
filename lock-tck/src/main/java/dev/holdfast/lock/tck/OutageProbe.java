package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import java.time.Duration;

/** Keeps calling a store until this is closed, and records whether the store was ever unavailable. */
final class OutageProbe implements AutoCloseable {

    /** Shorter than any restart. */
    private static final Duration TIMEOUT = Duration.ofMillis(20);

    private final StoreClient client;
    private final Thread thread;
    private volatile boolean seen;
    private volatile boolean closed;

    OutageProbe(StoreClient client) {
        this.client = client;
        this.thread = ConcurrentCalls.start("outage probe", this::watch);
    }

    private void watch() {
        while (!closed && !seen) {
            probe();
            Kit.pause(Duration.ofMillis(1));
        }
    }

    private void probe() {
        LockCommand command = new LockCommand.Renew(new LockName("probe"), Kit.id(), Kit.LONG);
        if (client.tryExecute(command, TIMEOUT) instanceof LockReply.Unavailable) {
            seen = true;
        }
    }

    /** Stops, and returns whether the store has been unavailable at any time. */
    boolean stop() {
        close();
        if (!seen) {
            probe();
        }
        return seen;
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
