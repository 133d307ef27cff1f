package dev.holdfast.lock.redis.connection;

import java.util.function.Consumer;
import redis.clients.jedis.Connection;

/** A connection, for as long as it is not closed. Closing gives it back, or ends it if it is broken, and never fails. */
public final class Borrowed implements AutoCloseable {

    private final Connection connection;
    private final Consumer<Connection> back;

    /** @param back takes the connection, which may be broken; returns at once, and does not fail */
    Borrowed(Connection connection, Consumer<Connection> back) {
        this.connection = connection;
        this.back = back;
    }

    /** The connection itself. */
    public Connection connection() {
        return connection;
    }

    /** Has it ended instead of given back. */
    public void giveUp() {
        connection.setBroken();
    }

    @Override
    public void close() {
        back.accept(connection);
    }
}
