package dev.holdfast.lock.jdbc;

import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** A database for a test. */
public record Postgres(PostgresServer server, String url) {

    private static final Map<PostgresServer, String> TEMPLATES = new ConcurrentHashMap<>();

    /** A new one, without tables, on the server that all share. */
    public static Postgres database() {
        return on(PostgresServer.shared());
    }

    /** A new one, without tables. */
    public static Postgres on(PostgresServer server) {
        try {
            return new Postgres(server, server.newDatabase());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A new one, in which the tables are, on the server that all share. */
    public static Postgres withTables() {
        return withTables(PostgresServer.shared());
    }

    /** A new one, in which the tables are: a copy, as to make them takes longer. */
    public static Postgres withTables(PostgresServer server) {
        try {
            return new Postgres(server, server.newDatabase(TEMPLATES.computeIfAbsent(server, Postgres::template)));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same, with a clock of the locks that stands still: however long the machine does, no lease and no place in a queue ends. */
    public static Postgres withStandingClock() {
        return withStandingClock(PostgresServer.shared());
    }

    /** The same on another server. */
    public static Postgres withStandingClock(PostgresServer server) {
        Postgres database = withTables(server);
        database.stopClock();
        return database;
    }

    /** From now on the clock of the locks stands still. */
    public void stopClock() {
        new PostgresClock(server, url).close();
    }

    private static String template(PostgresServer server) {
        Postgres template = on(server);
        Opened.store(template.settings()).close();
        try (Connection connection = server.connect(server.url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + template.name() + " ALLOW_CONNECTIONS false");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return template.name();
    }

    /** The same, so that a commit that need not be durable is lost when the server crashes. */
    public Postgres lazy() {
        try {
            execute("ALTER DATABASE " + name() + " SET synchronous_commit = off");
            execute("ALTER SYSTEM SET wal_writer_delay = '10s'");
            execute("SELECT pg_reload_conf()");
            return this;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public String name() {
        return url.substring(url.lastIndexOf('/') + 1);
    }

    /** What it takes to open it, and more. */
    public Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "lock.jdbc.url", server.parameters().isEmpty() ? url : url + "?" + server.parameters(),
                "lock.jdbc.username", server.username(),
                "lock.jdbc.password", server.password()));
        for (int at = 0; at < more.length; at += 2) {
            settings.put(more[at], more[at + 1]);
        }
        return settings;
    }

    /** What the server has logged of this database so far, which other tests do not touch; empty if it is not at hand. */
    public String log() {
        return server.log()
                .lines()
                .filter(line -> line.contains("] " + name() + " "))
                .collect(Collectors.joining("\n"));
    }

    /** The superuser's login, as properties of the driver. */
    Properties login() {
        Properties login = new Properties();
        login.setProperty("user", server.username());
        login.setProperty("password", server.password());
        return login;
    }

    public Connection connect() throws SQLException {
        return server.connect(url);
    }

    /** Waits until the one connection of a store has nothing to do any more after its first release, which has rows pruned. */
    public void awaitPruned() {
        Await.until(
                "what the first release has begun is over",
                () -> value(
                                "SELECT count(*) FROM pg_stat_activity"
                                        + " WHERE datname = current_database() AND state = 'idle' AND query LIKE '%.holdfast_prune(%'")
                        .equals("1"));
    }

    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public String value(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
