package dev.holdfast.lock.jdbc.contention;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A database for a test, and the number of its waiters. */
record ContendedDatabase(PostgresServer server, String url) {

    static ContendedDatabase on(PostgresServer server) {
        return new ContendedDatabase(server, Postgres.withTables(server).url());
    }

    /** What it takes to open it, and more. */
    Properties settings(String... more) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.jdbc.url", url);
        settings.setProperty("lock.jdbc.username", server.username());
        settings.setProperty("lock.jdbc.password", server.password());
        settings.setProperty("lock.lease", "10m");
        settings.setProperty("lock.call-timeout", "1m");
        for (int at = 0; at < more.length; at += 2) {
            settings.setProperty(more[at], more[at + 1]);
        }
        return settings;
    }

    Locks open(String... more) {
        return Locks.open(settings(more));
    }

    /** How many places are taken in all queues together. */
    long places() throws SQLException {
        return number("SELECT count(*) FROM holdfast_waiter");
    }

    long number(String sql) throws SQLException {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
