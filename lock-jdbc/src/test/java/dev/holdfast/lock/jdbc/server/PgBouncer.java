package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * A server behind a pooler: {@code -Dlock.test.pgbouncer.program} names the program, {@code -Dlock.test.pgbouncer.mode} how long it
 * lends a session of the server ({@code session}, or {@code transaction}). URLs lead through the pooler; the superuser's connections
 * go past it. What fails is the server: the pooler stays.
 */
final class PgBouncer implements PostgresServer {

    static final String PROGRAM = "lock.test.pgbouncer.program";

    private static final String MODE = System.getProperty("lock.test.pgbouncer.mode", "session");

    private final PostgresServer server;
    private final int port;
    private final CleanupProcess watcher;

    PgBouncer(PostgresServer server) {
        this.server = server;
        try {
            Path directory = ServerFiles.newDirectory("holdfast-pgbouncer-");
            Path pidFile = directory.resolve("pid");
            watcher = CleanupProcess.killing(directory, pidFile);
            Files.writeString(
                    directory.resolve("users"), "\"" + server.username() + "\" \"" + server.password() + "\"\n");
            port = FreePort.find();
            Path settings = Files.writeString(directory.resolve("settings"), settings(directory));
            List<String> command = new ArrayList<>();
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("unshare", "-U")); // it refuses to run as root
            }
            command.addAll(List.of(System.getProperty(PROGRAM), settings.toString()));
            Path log = directory.resolve("log");
            Process pooler = new ProcessBuilder(command)
                    .redirectOutput(Redirect.appendTo(log.toFile()))
                    .redirectErrorStream(true)
                    .start();
            Files.writeString(pidFile, pooler.pid() + "\n");
            Await.until("the pooler answers", () -> {
                if (!pooler.isAlive()) {
                    throw new IOException("PgBouncer has ended: " + Files.readString(log));
                }
                try (Connection connection = DriverManager.getConnection(url("postgres"), username(), password())) {
                    return connection.isValid(5);
                } catch (SQLException e) {
                    return false;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String settings(Path directory) {
        return """
                [databases]
                * = host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                pool_mode = %s
                auth_type = md5
                auth_file = %s
                auth_user = %s
                max_client_conn = 1000
                default_pool_size = 50
                ignore_startup_parameters = extra_float_digits
                # after a restart of the server; the default is 15 s
                server_login_retry = 1
                """.formatted(server.port(), port, MODE, directory.resolve("users"), server.username());
    }

    @Override
    public String username() {
        return server.username();
    }

    @Override
    public String password() {
        return server.password();
    }

    @Override
    public int port() {
        return port;
    }

    /** A statement that the driver has prepared is missing in the next session. */
    @Override
    public String parameters() {
        return MODE.equals("session") ? "" : "prepareThreshold=0";
    }

    @Override
    public Connection connect(String url) throws SQLException {
        return server.connect(url.replaceFirst(":" + port + "/", ":" + server.port() + "/"));
    }

    /** The pooler keeps sessions that its clients have left, and a template must have none. */
    @Override
    public String newDatabase(String template) throws SQLException {
        try (Connection connection = connect(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '" + template + "'");
        }
        return PostgresServer.super.newDatabase(template);
    }

    @Override
    public boolean canFail() {
        return server.canFail();
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public String refusal() {
        return "FATAL: server login has been failing";
    }

    @Override
    public void start() {
        server.start();
    }

    @Override
    public void freeze() {
        server.freeze();
    }

    @Override
    public void thaw() {
        server.thaw();
    }

    @Override
    public String log() {
        return server.log();
    }

    @Override
    public void close() {
        watcher.close();
        server.close();
    }
}
