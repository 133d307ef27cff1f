package dev.holdfast.lock.bench.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

/** A PostgreSQL server that has every grant on its disk before it answers. */
public final class Postgres {

    /** The property that says where the artifact is unpacked, which would stay behind elsewhere. */
    private static final String UNPACKED = "ot.epg.working-dir";

    private final String url;

    private Postgres(String url) {
        this.url = url;
    }

    /** A new one, with an empty database. */
    @SuppressWarnings("resource") // it ends with the workplace
    public static Postgres start(Workplace workplace) throws IOException {
        Path directory = workplace.newDirectory("postgresql");
        System.setProperty(UNPACKED, directory.toString());
        Redirect log = Redirect.appendTo(directory.resolve("log").toFile());
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setErrorRedirector(log)
                .setOutputRedirector(log)
                .start();
        return new Postgres("jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres");
    }

    /** Where the database is. */
    public String url() {
        return url;
    }

    /** The user who may do everything; no password is asked for. */
    public String username() {
        return "postgres";
    }
}
