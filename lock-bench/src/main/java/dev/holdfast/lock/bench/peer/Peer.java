package dev.holdfast.lock.bench.peer;

/** A way to lock, as one process opens it. Thread-safe. */
public interface Peer extends AutoCloseable {

    /**
     * Waits, in its own way, until the lock of this name is this thread's.
     *
     * @return what gives it back, on the same thread
     */
    Held acquire(String name) throws Exception;

    @Override
    void close();

    /** A lock that is held. */
    @FunctionalInterface
    interface Held {

        /** Gives it back. */
        void release() throws Exception;
    }
}
