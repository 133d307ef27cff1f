package dev.holdfast.lock.bench.peer;

/** A lock implementation, opened in this process. Thread-safe. */
public interface Peer extends AutoCloseable {

    /**
     * Waits, in its own way, until this thread holds the lock.
     *
     * @return what releases the lock, on the same thread
     */
    AutoCloseable acquire(String name) throws Exception;

    @Override
    void close();

    /** What {@link #acquire(String)} of a peer does. */
    @FunctionalInterface
    interface Acquire {
        AutoCloseable acquire(String name) throws Exception;
    }

    /** A peer made of its two methods. */
    static Peer of(Acquire acquire, Runnable close) {
        return new Peer() {
            @Override
            public AutoCloseable acquire(String name) throws Exception {
                return acquire.acquire(name);
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }
}
