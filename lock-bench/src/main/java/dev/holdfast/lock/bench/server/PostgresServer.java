package dev.holdfast.lock.bench.server;

import dev.holdfast.lock.tck.faults.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server with durable commits. It ends with its workspace. */
public final class PostgresServer {

    static final String USERNAME = "postgres";

    /** The embedded server's own property: the directory into which it unpacks its binaries. */
    private static final String UNPACK_DIRECTORY = "ot.epg.working-dir";

    /** A directory in which the binaries may stay for the next run; without it they are removed with the workspace. */
    private static final String KEPT_DIRECTORY = "holdfast.bench.postgresql";

    private static final Duration STARTUP_LIMIT = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;

    private PostgresServer(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Starts a server with an empty database. */
    @SuppressWarnings("resource") // it ends with the workspace
    public static PostgresServer start(Workspace workspace) throws IOException {
        Path directory = workspace.newDirectory("postgresql");
        System.setProperty(UNPACK_DIRECTORY, System.getProperty(KEPT_DIRECTORY, directory.toString()));
        Path log = directory.resolve("log");
        try {
            return new PostgresServer(server(directory.resolve("data"), Redirect.appendTo(log.toFile())));
        } catch (IOException e) {
            throw new IOException(
                    "PostgreSQL did not start: " + (Files.exists(log) ? Files.readString(log) : "no log"), e);
        }
    }

    private static EmbeddedPostgres server(Path data, Redirect log) throws IOException {
        return EmbeddedPostgres.builder()
                .setPort(FreePort.find())
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(STARTUP_LIMIT)
                .setRegisterShutdownHook(false)
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "400")
                .setErrorRedirector(log)
                .setOutputRedirector(log)
                .start();
    }

    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
    }

    /** The version and the settings that durability depends on. */
    public String facts() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            List<String> settings = new ArrayList<>();
            for (String name : List.of("fsync", "synchronous_commit", "wal_sync_method", "max_connections")) {
                settings.add(name + "=" + show(statement, name));
            }
            return "PostgreSQL " + show(statement, "server_version") + ", " + String.join(", ", settings);
        }
    }

    private static String show(Statement statement, String setting) throws SQLException {
        try (ResultSet result = statement.executeQuery("SHOW " + setting)) {
            result.next();
            return result.getString(1);
        }
    }
}
