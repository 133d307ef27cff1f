package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A PostgreSQL server for tests; which kind, says {@code -Dlock.test.servers}: {@code embedded} (a real server from a Maven
 * artifact, or from the folder of programs that {@code -Dlock.test.postgres.programs} names; the default), {@code containers}
 * (Testcontainers) or {@code external} (see {@link ExternalPostgres}). A {@linkplain PgBouncer pooler} may be before it.
 */
public interface PostgresServer extends AutoCloseable {

    /** The superuser. */
    String username();

    /** That user's password, which the server insists on. */
    String password();

    /** The port on the loopback. */
    int port();

    /** The URL of a database of this server. */
    default String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + database;
    }

    /** What the URL of a store has to say besides, such as {@code name=value&name=value}; may be empty. */
    default String parameters() {
        return "";
    }

    /** Makes a database of its own for a test, and returns its URL. */
    default String newDatabase() throws SQLException {
        return newDatabase("template0");
    }

    /** The same as a copy of one that nothing is connected to. */
    default String newDatabase(String template) throws SQLException {
        String name = "test_" + ProcessHandle.current().pid() + "_" + Databases.NUMBER.incrementAndGet();
        try (Connection connection = connect(url("postgres"));
                Statement statement = connection.createStatement()) {
            // By its files it is made in half the time; version 14 knows no other way.
            String strategy = connection.getMetaData().getDatabaseMajorVersion() < 15 ? "" : " STRATEGY file_copy";
            statement.execute("CREATE DATABASE " + name + " ENCODING 'UTF8' TEMPLATE " + template + strategy);
        }
        return url(name);
    }

    /** A connection of the superuser. */
    default Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, username(), password());
    }

    /** Waits until it lets a client in. */
    default void awaitAnswer() {
        Await.until("the server answers", () -> {
            try (Connection connection = connect(url("postgres"))) {
                return connection.isValid(5);
            } catch (SQLException e) {
                return false;
            }
        });
    }

    /** Whether this server may be killed and frozen. */
    boolean canFail();

    /** Ends the server as a crash would: no checkpoint, no farewell ({@code pg_ctl stop -m immediate}). */
    void kill();

    /** How the error of a connection begins while the server is down. */
    default String refusal() {
        return "Connection refused (";
    }

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

    /** The resource that {@link #toConfigure} is, for JUnit's {@code ResourceLock}. */
    String TO_CONFIGURE = "the PostgreSQL server to configure";

    /** One server for the tests of this JVM that change its settings, one after the other; each undoes what it changed. */
    static PostgresServer toConfigure() {
        return ToConfigure.SERVER;
    }

    /** A server that is this test's to break. */
    static PostgresServer own() {
        PostgresServer server = withoutPooler();
        return System.getProperty(PgBouncer.PROGRAM) == null ? server : new PgBouncer(server);
    }

    private static PostgresServer withoutPooler() {
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

    /** How many databases there have been. */
    final class Databases {
        private static final AtomicInteger NUMBER = new AtomicInteger();

        private Databases() {}
    }

    /** Made when it is asked for first. */
    final class Started {
        private static final PostgresServer SHARED = start();

        private Started() {}

        private static PostgresServer start() {
            PostgresServer server = own();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-postgres"));
            return server;
        }
    }

    /** Made when it is asked for first. */
    final class ToConfigure {
        private static final PostgresServer SERVER = Started.start();

        private ToConfigure() {}
    }
}
