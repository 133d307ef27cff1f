package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.spi.Share;

/** A lock implementation, opened in this process. Thread-safe. */
public record Peer(AcquireShare acquisition, Runnable onClose) implements AutoCloseable {

    /** Waits, in its own way, until this thread holds the lock. */
    @FunctionalInterface
    public interface Acquire {
        /** Returns the release of the lock, for the same thread. */
        AutoCloseable acquire(String name) throws Exception;
    }

    /** The same for a share of the lock. */
    @FunctionalInterface
    public interface AcquireShare {
        AutoCloseable acquire(String name, Share share) throws Exception;
    }

    /** A peer with exclusive locks only. */
    public Peer(Acquire acquisition, Runnable onClose) {
        this(
                (name, share) -> {
                    if (!share.isExclusive()) {
                        throw new UnsupportedOperationException("exclusive locks only");
                    }
                    return acquisition.acquire(name);
                },
                onClose);
    }

    public AutoCloseable acquire(String name) throws Exception {
        return acquire(name, Share.EXCLUSIVE);
    }

    public AutoCloseable acquire(String name, Share share) throws Exception {
        return acquisition.acquire(name, share);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
