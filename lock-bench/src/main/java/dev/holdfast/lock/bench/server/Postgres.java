package dev.holdfast.lock.bench.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL server that has every grant on its disk before it answers. */
public final class Postgres {

    /** The property that says where the artifact is unpacked, which would stay behind elsewhere. */
    private static final String UNPACKED = "ot.epg.working-dir";

    /** The property that says where it may stay behind, for the next one. */
    private static final String KEPT = "holdfast.bench.postgresql";

    /** A hang, not a slow machine. */
    private static final Duration STARTUP = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;

    private Postgres(EmbeddedPostgres server) {
        this.server = server;
    }

    /** A new one, with an empty database. */
    @SuppressWarnings("resource") // it ends with the workplace
    public static Postgres start(Workplace workplace) throws IOException {
        Path directory = workplace.newDirectory("postgresql");
        System.setProperty(UNPACKED, System.getProperty(KEPT, directory.toString()));
        Redirect log = Redirect.appendTo(directory.resolve("log").toFile());
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .setPGStartupWait(STARTUP)
                .setRegisterShutdownHook(false)
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "400")
                .setErrorRedirector(log)
                .setOutputRedirector(log)
                .start();
        return new Postgres(server);
    }

    /** Where the database is. */
    public String url() {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
    }

    /** The user who may do everything; no password is asked for. */
    public String username() {
        return "postgres";
    }

    /** What it is, and how it keeps what it was told. */
    public String facts() throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection()) {
            List<String> settings = new ArrayList<>();
            for (String name : List.of("fsync", "synchronous_commit", "wal_sync_method", "max_connections")) {
                settings.add(name + "=" + show(connection, name));
            }
            return "PostgreSQL " + show(connection, "server_version") + ", " + String.join(", ", settings);
        }
    }

    private static String show(Connection connection, String setting) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery("SHOW " + setting)) {
            answer.next();
            return answer.getString(1);
        }
    }
}
