package dev.holdfast.lock.cli;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.sql.SQLException;

/** The configuration of a PostgreSQL database for tests. */
final class PostgresRuns {

    private PostgresRuns() {}

    /** Of a database of its own. */
    static String newStore() throws SQLException {
        PostgresServer server = PostgresServer.shared();
        return store(server.newDatabase(), server.username(), server.password());
    }

    static String store(String url, String username, String password) {
        return "lock.provider=jdbc\nlock.jdbc.url=" + url + "\nlock.jdbc.username=" + username + "\nlock.jdbc.password="
                + password + "\n";
    }
}
