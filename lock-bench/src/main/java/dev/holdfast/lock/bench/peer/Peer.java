package dev.holdfast.lock.bench.peer;

/** A lock implementation, opened in this process. Thread-safe. */
public record Peer(Acquire acquisition, Runnable onClose) implements AutoCloseable {

    /** Waits, in its own way, until this thread holds the lock. */
    @FunctionalInterface
    public interface Acquire {
        /** Returns the release of the lock, for the same thread. */
        AutoCloseable acquire(String name) throws Exception;
    }

    public AutoCloseable acquire(String name) throws Exception {
        return acquisition.acquire(name);
    }

    @Override
    public void close() {
        onClose.run();
    }
}
