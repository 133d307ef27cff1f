package dev.holdfast.lock.redis.client;

import java.io.IOException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;

/** A connection on loan. Closing returns it, or ends it if it is broken, and never fails. */
public final class BorrowedConnection implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BorrowedConnection.class);

    private final Connection connection;
    private final Consumer<Connection> giveBack;

    /** @param giveBack takes the connection, which may be broken, at once and without failing */
    BorrowedConnection(Connection connection, Consumer<Connection> giveBack) {
        this.connection = connection;
        this.giveBack = giveBack;
    }

    public Connection connection() {
        return connection;
    }

    /** Makes {@link #close} end the connection instead of returning it. */
    public void discard() {
        connection.setBroken();
    }

    /** Ends the connection at once, even while another thread reads from it. */
    public void disconnect() {
        disconnect(connection);
    }

    /** Ends a connection without a QUIT, which a server might not read. */
    static void disconnect(Connection connection) {
        connection.setBroken();
        try {
            try {
                connection.forceDisconnect();
            } catch (NoSuchMethodError e) { // before version 7 of Jedis
                connection.disconnect();
            }
        } catch (IOException | RuntimeException e) {
            log.debug("a connection was not closed", e);
        }
    }

    @Override
    public void close() {
        giveBack.accept(connection);
    }
}
