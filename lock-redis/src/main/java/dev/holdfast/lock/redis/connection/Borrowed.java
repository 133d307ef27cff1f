package dev.holdfast.lock.redis.connection;

import java.io.IOException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;

/** A connection, for as long as it is not closed. Closing gives it back, or ends it if it is broken, and never fails. */
public final class Borrowed implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Borrowed.class);

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

    /** Ends it at once, also while another thread reads from it. */
    public void cut() {
        end(connection);
    }

    /** Without a farewell, for which the server might let us wait. */
    static void end(Connection connection) {
        connection.setBroken();
        try {
            try {
                connection.forceDisconnect();
            } catch (NoSuchMethodError e) { // before version 7 of the client library
                connection.disconnect();
            }
        } catch (IOException | RuntimeException e) {
            log.debug("a connection was not closed", e);
        }
    }

    @Override
    public void close() {
        back.accept(connection);
    }
}
