package dev.holdfast.lock.composite.faults;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.LocksOpener;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;

/** A database with all tables, so that no process spends its time on making them. */
final class Database implements AutoCloseable {

    private final PostgresServer server = PostgresServer.own();
    private final String url;

    Database() throws SQLException {
        url = server.newDatabase();
        Properties alone = new Properties();
        alone.setProperty("lock.provider", "jdbc");
        alone.setProperty("lock.namespace", "tables");
        configure(alone);
        LocksOpener.open(alone).close();
        try (Connection connection = connect()) {
            Fence.make(connection);
        }
    }

    PostgresServer server() {
        return server;
    }

    Connection connect() throws SQLException {
        return server.connect(url);
    }

    /** Has locks find it. */
    void configure(Properties locks) {
        locks.setProperty("lock.jdbc.url", url);
        locks.setProperty("lock.jdbc.username", server.username());
        locks.setProperty("lock.jdbc.password", server.password());
    }

    /** URL, user and password. */
    List<String> coordinates() {
        return List.of(url, server.username(), server.password());
    }

    @Override
    public void close() {
        server.close();
    }
}
