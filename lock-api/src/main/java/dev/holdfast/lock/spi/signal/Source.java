package dev.holdfast.lock.spi.signal;

/** Where a store's signals come from: one connection at a time. */
public interface Source {

    /**
     * Connects, says {@link Listening#connected} once no later release can be missed, and from then on tells what it hears,
     * until the listening is closed. Called on a thread of its own, again and again.
     *
     * @throws Exception if there is no connection, or none any more; it is tried again after a pause
     */
    void follow(Listening listening) throws Exception;

    /** Sees to it that {@link #follow} ends soon, as the listening is closed. Called by another thread. */
    void end();
}
