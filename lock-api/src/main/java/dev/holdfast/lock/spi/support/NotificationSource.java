package dev.holdfast.lock.spi.support;

/** The source of a store's notifications: one connection at a time. */
public interface NotificationSource {

    /**
     * Connects, calls {@link ReconnectingListener#connected} once no later release can be missed, and from then on delivers the
     * notifications until the listener is closed. Called repeatedly, on a thread of its own.
     *
     * @throws Exception if connecting fails or the connection breaks; the next attempt follows after a pause
     */
    void listen(ReconnectingListener listener) throws Exception;

    /** Makes {@link #listen} return soon, as the listener is closed. Called by another thread. */
    void stop();
}
