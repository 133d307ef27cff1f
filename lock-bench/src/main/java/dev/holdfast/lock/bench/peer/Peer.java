package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.spi.Share;

/** A lock implementation, opened in this process. Thread-safe. */
public record Peer(Acquire acquisition, AcquireShare shares, Runnable onClose) implements AutoCloseable {

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
                acquisition,
                (name, share) -> {
                    throw new UnsupportedOperationException("exclusive locks only");
                },
                onClose);
    }

    /** A peer with readers and a writer, and with permits. */
    static Peer ofShares(AcquireShare shares, Runnable onClose) {
        return new Peer(name -> shares.acquire(name, Share.EXCLUSIVE), shares, onClose);
    }

    public AutoCloseable acquire(String name) throws Exception {
        return acquisition.acquire(name);
    }

    public AutoCloseable acquire(String name, Share share) throws Exception {
        return shares.acquire(name, share);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
