package dev.holdfast.lock.redis.waiting;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A table with rows to lock, in a database of its own. */
record Rows(String url, String username, String password, int count) {

    /** The row that is locked. */
    static final long LOCKED = 300;

    static Rows on(PostgresServer server, int count) throws SQLException {
        String url = server.newDatabase();
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE goods (id bigint PRIMARY KEY, title text NOT NULL)");
            statement.execute("INSERT INTO goods SELECT n, 'goods ' || n FROM generate_series(1, " + count + ") n");
            statement.execute("ANALYZE goods");
        }
        return new Rows(url, server.username(), server.password(), count);
    }
}
