package dev.holdfast.lock.jdbc.server;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Map;

/** A database of a test's own, in which a store keeps its rows. The defaults are for a database within the test's process. */
public interface RowDatabase {

    /** How a store is opened in it. */
    Map<String, String> settings();

    /** A name as its column holds it: its bytes. */
    static String literal(String name) {
        return "X'" + HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)) + "'";
    }

    /** A connection of an administrator. */
    Connection connect() throws SQLException;

    /** Where its server listens. */
    default InetSocketAddress address() {
        throw new UnsupportedOperationException("there is no server");
    }

    /** The URL with another port on the loopback, of a proxy in front of the server. */
    default String urlThrough(int port) {
        throw new UnsupportedOperationException("there is no server");
    }

    /** Ends the server as a crash would (SIGKILL). */
    default void kill() {
        throw new UnsupportedOperationException("there is no server");
    }

    /** Starts a killed server again. */
    default void start() {
        throw new UnsupportedOperationException("there is no server");
    }
}
