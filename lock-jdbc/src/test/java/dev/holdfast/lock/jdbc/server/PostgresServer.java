package dev.holdfast.lock.jdbc.server;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A PostgreSQL server for tests; which kind, says {@code -Dlock.test.servers}: {@code embedded} (a real server from a Maven
 * artifact, the default), {@code containers} (Testcontainers) or {@code external} (see {@link ExternalPostgres}).
 */
public interface PostgresServer extends AutoCloseable {

    /** The user who may do everything. */
    String username();

    /** That user's password, which the server insists on. */
    String password();

    /** The port on the loopback. */
    int port();

    /** The URL of a database of this server. */
    default String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
    }

    /** Makes a database of its own for a test, and returns its URL. */
    default String newDatabase() throws SQLException {
        String name = "test_" + ProcessHandle.current().pid() + "_" + Started.DATABASES.incrementAndGet();
        try (Connection connection = connect(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name + " ENCODING 'UTF8' TEMPLATE template0");
        }
        return url(name);
    }

    /** A connection of the user who may do everything. */
    default Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, username(), password());
    }

    /** Whether this server may be killed and frozen. */
    boolean canFail();

    /** Ends the server as a crash would: no checkpoint, no farewell ({@code pg_ctl stop -m immediate}). */
    void kill();

    /** Starts a killed server again, with its data and on its port, and waits until it answers. */
    void start();

    /** Stops all its processes where they are. */
    void freeze();

    /** Lets a frozen server go on. */
    void thaw();

    /** How each line of its log begins: when, which process, which database. */
    String LINE_PREFIX = "%m [%p] %d ";

    /** What the server has logged so far; empty if it is not at hand. */
    String log();

    /** Ends the server and removes what it left. */
    @Override
    void close();

    /** One server for all tests of this JVM that do it no harm. */
    static PostgresServer shared() {
        return Started.SHARED;
    }

    /** A server that is this test's to break. */
    static PostgresServer own() {
        String kind = System.getProperty("lock.test.servers", "embedded");
        return switch (kind) {
            case "embedded" -> new EmbeddedServer();
            case "containers" -> new ContainerServer();
            case "external" -> new ExternalPostgres();
            default ->
                throw new IllegalArgumentException(
                        "lock.test.servers is '" + kind + "', allowed: embedded, containers, external");
        };
    }

    /** What is made once. */
    final class Started {
        private static final AtomicInteger DATABASES = new AtomicInteger();
        private static final PostgresServer SHARED = start();

        private Started() {}

        private static PostgresServer start() {
            PostgresServer server = own();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-postgres"));
            return server;
        }
    }
}
