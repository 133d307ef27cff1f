package dev.holdfast.lock.jdbc.server;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

/** A database of a {@link MariaDbServer}. */
public record MariaDbDatabase(MariaDbServer server, String url) implements RowDatabase {

    /** A new database. */
    public static MariaDbDatabase of(MariaDbServer server) {
        try {
            return new MariaDbDatabase(server, server.newDatabase());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Map<String, String> settings() {
        return Map.of(
                "lock.jdbc.url", url,
                "lock.jdbc.username", server.username(),
                "lock.jdbc.password", server.password());
    }

    @Override
    public Connection connect() throws SQLException {
        return server.connect(url);
    }

    /**
     * Not innodb_trx: it shows the same again to each query within 0.1 s of the last one. Of MySQL not information_schema, which
     * fails if a statement has bytes that are no text.
     */
    @Override
    public String countBlocked(String lock) {
        String column = server.isMariaDb() ? "" : "processlist_";
        return "SELECT count(*) FROM "
                + (server.isMariaDb() ? "information_schema.processlist" : "performance_schema.threads")
                + " WHERE " + column + "id <> CONNECTION_ID() AND " + column + "db = DATABASE()"
                + " AND " + column + "info LIKE '%" + lock + "%' AND " + column + "info LIKE '%FOR UPDATE%'";
    }

    @Override
    public InetSocketAddress address() {
        return server.address();
    }

    @Override
    public String urlThrough(int port) {
        return url.replaceFirst("//[^/]*/", "//127.0.0.1:" + port + "/");
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void start() {
        server.start();
    }
}
