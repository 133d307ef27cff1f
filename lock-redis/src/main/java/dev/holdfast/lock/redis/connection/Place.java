package dev.holdfast.lock.redis.connection;

import redis.clients.jedis.exceptions.JedisException;

/** Where one server is found at a time. Thread-safe. */
@FunctionalInterface
interface Place extends AutoCloseable {

    /**
     * The server of the moment.
     *
     * @throws JedisException if none is known
     */
    Node present();

    /** The server of the moment did not answer, or not as one does that is to be asked. Returns at once. */
    default void doubt() {}

    /** Closes what was opened for it; never the application's own client. */
    @Override
    default void close() {}
}
