package dev.holdfast.lock.bench.server;

import dev.holdfast.lock.tck.faults.FreePort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A MariaDB server with durable commits, from a Maven artifact that the script {@code bench} unpacks on request. It ends with its
 * workspace.
 */
public final class MariaDbServer {

    static final String USERNAME = "root";

    /** The directory of the unpacked artifact. */
    private static final String HOME = "holdfast.bench.mariadb";

    private static final String PROGRAM = "bin/mariadbd";
    private static final Duration STARTUP_LIMIT = Duration.ofMinutes(1);
    private static final long POLL_NANOS = 20_000_000;

    /** The data directory of the artifact's own tool has no account for a network address. */
    private static final String ACCOUNT =
            "INSERT INTO global_priv VALUES ('127.0.0.1', 'root', JSON_OBJECT('access', 18446744073709551615,"
                    + " 'plugin', 'mysql_native_password', 'authentication_string', ''));\n";

    private final String server;

    private MariaDbServer(int port) {
        this.server = "jdbc:mariadb://127.0.0.1:" + port + "/";
    }

    /** Starts a server with an empty database. */
    public static MariaDbServer start(Workspace workspace) throws IOException, InterruptedException {
        Path home = home();
        Path directory = workspace.newDirectory("mariadb");
        Files.createDirectory(directory.resolve("data"));
        Files.createDirectory(directory.resolve("tmp"));
        Path tables = directory.resolve("bootstrap.sql");
        Files.writeString(
                tables,
                "CREATE DATABASE mysql;\nUSE mysql;\n"
                        + Files.readString(home.resolve("share/mariadb_system_tables.sql")) + ACCOUNT);
        Process bootstrap = new ProcessBuilder(command(home, directory, "--bootstrap", "--max_allowed_packet=8M"))
                .redirectInput(tables.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("bootstrap.log").toFile())
                .start();
        if (bootstrap.waitFor() != 0) {
            throw new IOException("MariaDB made no data directory: "
                    + Files.readString(directory.resolve("bootstrap.log"), StandardCharsets.UTF_8));
        }
        int port = FreePort.find();
        Process process = workspace.start(
                directory,
                command(
                        home,
                        directory,
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--socket=" + directory.resolve("socket"),
                        "--skip-name-resolve",
                        "--skip-ssl",
                        "--max-connections=400",
                        "--innodb-flush-log-at-trx-commit=1"));
        MariaDbServer started = new MariaDbServer(port);
        started.awaitReadiness(process, directory);
        return started;
    }

    /** The home of the unpacked server, below the versions' folder in the artifact. */
    private static Path home() throws IOException {
        Path unpacked = Path.of(System.getProperty(HOME, "lock-bench/target/mariadb"));
        if (Files.isDirectory(unpacked)) {
            try (Stream<Path> files = Files.walk(unpacked)) {
                Path home = files.filter(directory -> Files.exists(directory.resolve(PROGRAM)))
                        .findFirst()
                        .orElse(null);
                if (home != null && home.resolve(PROGRAM).toFile().setExecutable(true)) {
                    return home.toAbsolutePath();
                }
            }
        }
        throw new IOException(
                "there is no MariaDB in " + unpacked
                        + ": mvn -pl lock-bench dependency:unpack@mariadb downloads and unpacks it, as lock-bench/bench --mariadb does");
    }

    private static List<String> command(Path home, Path directory, String... options) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve(PROGRAM).toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--lc-messages-dir=" + home.resolve("share"),
                "--datadir=" + directory.resolve("data"),
                "--tmpdir=" + directory.resolve("tmp")));
        command.addAll(List.of(options));
        return command;
    }

    private void awaitReadiness(Process process, Path directory) throws IOException {
        long end = System.nanoTime() + STARTUP_LIMIT.toNanos();
        while (true) {
            try (Connection connection = DriverManager.getConnection(server, USERNAME, "");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE bench");
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() > end) {
                    throw new IOException(
                            "MariaDB did not start: "
                                    + Files.readString(directory.resolve("log"), StandardCharsets.UTF_8),
                            e);
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    public String url() {
        return server + "bench";
    }

    /** The version and the settings that durability depends on. */
    public String facts() throws SQLException {
        try (Connection connection = DriverManager.getConnection(server, USERNAME, "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT VERSION(), @@innodb_flush_log_at_trx_commit, @@innodb_flush_method, @@max_connections")) {
            row.next();
            return "MariaDB " + row.getString(1) + ", innodb_flush_log_at_trx_commit=" + row.getString(2)
                    + ", innodb_flush_method=" + row.getString(3) + ", max_connections=" + row.getString(4);
        }
    }
}
