package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A MariaDB or MySQL for tests. It is a MariaDB from a Maven artifact for 64-bit Linux, unless {@code -Dlock.test.mariadb.program}
 * names another {@code mariadbd} or {@code mysqld}, or {@code mysql}: the MySQL of its artifact.
 *
 * <p>{@code -Dlock.test.mariadb.host} makes {@link #shared()} and {@link #restartable()} a running server instead, of which
 * {@code .port}, {@code .username} and {@code .password} say the rest. A test that would kill it is aborted.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final String KEY = "lock.test.mariadb.";
    private static final String PROGRAM = KEY + "program";
    private static final String MYSQL_PROGRAM = "lock.test.mysql.program";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String host;
    private final int port;
    private final String username;
    private final String password;
    private final @Nullable Embedded embedded;

    private MariaDbServer(String host, int port, String username, String password, @Nullable Embedded embedded) {
        this.host = host;
        this.port = port;
        this.username = username;
        this.password = password;
        this.embedded = embedded;
    }

    /** One server for all tests of this JVM that do it no harm; it ends with the JVM. */
    public static MariaDbServer shared() {
        return Started.SHARED;
    }

    /** A server for a test class that restarts it; the running one of the properties, which is never restarted, if they name one. */
    public static MariaDbServer restartable() {
        return running().orElseGet(MariaDbServer::own);
    }

    private static Optional<MariaDbServer> running() {
        return Optional.ofNullable(System.getProperty(KEY + "host"))
                .map(host -> new MariaDbServer(
                        host,
                        Integer.getInteger(KEY + "port", 3306),
                        System.getProperty(KEY + "username", "root"),
                        System.getProperty(KEY + "password", ""),
                        null));
    }

    /** A server that is this test's to break, with options of the command line. */
    public static MariaDbServer own(String... options) {
        String program = System.getProperty(PROGRAM);
        return start(
                () -> program == null ? MariaDbProgram.ofArtifact() : DatabaseProgram.named(program), List.of(options));
    }

    /**
     * A MySQL that is this test's to break: of the Maven artifact for 64-bit Linux, or the {@code mysqld} that
     * {@code -Dlock.test.mysql.program} names.
     */
    public static MariaDbServer ownMySql() {
        return start(() -> DatabaseProgram.named(System.getProperty(MYSQL_PROGRAM, "mysql")), List.of());
    }

    /** One MySQL for all tests of this JVM that do it no harm; it ends with the JVM. */
    public static MariaDbServer sharedMySql() {
        return StartedMySql.SHARED;
    }

    private static MariaDbServer start(ProgramSource program, List<String> options) {
        try {
            Embedded embedded = new Embedded(program.get(), options);
            MariaDbServer server = new MariaDbServer(
                    "127.0.0.1", embedded.port, DatabaseProgram.USERNAME, DatabaseProgram.PASSWORD, embedded);
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the server", e);
        }
    }

    /** Where a program comes from. */
    @FunctionalInterface
    private interface ProgramSource {
        DatabaseProgram get() throws IOException;
    }

    /** A user who may do everything. */
    public String username() {
        return username;
    }

    /** That user's password. */
    public String password() {
        return password;
    }

    /** Whether it is MariaDB; MySQL otherwise. */
    public boolean isMariaDb() {
        return version().contains("MariaDB");
    }

    /** The version as the server says it. */
    public String version() {
        try (Connection connection = connect(url(""));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The address. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    /** The URL of a database of this server. */
    public String url(String database) {
        return "jdbc:mariadb://" + host + ":" + port + "/" + database;
    }

    /** Makes a database of its own for a test, and returns its URL. */
    public String newDatabase() throws SQLException {
        String name = "test_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
        try (Connection connection = connect(url(""));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return url(name);
    }

    /** A connection of that user. */
    public Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(url, username, password);
    }

    /** Executes a statement, without a database. */
    public void execute(String sql) throws SQLException {
        new MariaDbDatabase(this, url("")).execute(sql);
    }

    /** The number in the last column of a query's first row. */
    public long number(String sql) throws SQLException {
        return new MariaDbDatabase(this, url("")).number(sql);
    }

    /** Becomes the replica of another server, from the beginning of that one's binary log. */
    public void follow(MariaDbServer source) throws SQLException {
        execute("CHANGE MASTER TO MASTER_HOST = '" + source.host + "', MASTER_PORT = " + source.port
                + ", MASTER_USER = '" + source.username + "', MASTER_PASSWORD = '" + source.password
                + "', MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_CONNECT_RETRY = 1");
        execute("START SLAVE");
    }

    /** Ends the server as a crash would (SIGKILL). */
    public void kill() {
        Process process = ours().process;
        process.destroyForcibly();
        Await.until("the server has ended", () -> !process.isAlive());
        ours().forgetProcess();
    }

    /** Starts a killed server again, with its data and on its port, and waits until it answers. */
    public void start() {
        ours().start();
        Await.until("the server answers", () -> {
            if (!ours().process.isAlive()) {
                throw new IllegalStateException("the server has ended: " + log());
            }
            return isLetIn(username, password);
        });
    }

    /** Makes a user with a password, who may do nothing yet. */
    public void makeUser(String name, String userPassword) throws SQLException {
        execute("CREATE USER " + name + " IDENTIFIED BY '" + userPassword + "'");
        isLetIn(name, userPassword);
    }

    /**
     * MySQL tells a client its public key for the first connection with a user's password, which the tests' URLs do not ask for; from
     * then on it knows the password.
     */
    private boolean isLetIn(String name, String userPassword) {
        try (Connection connection =
                DriverManager.getConnection(url("") + "?allowPublicKeyRetrieval=true", name, userPassword)) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Stops its process where it is. */
    public void freeze() {
        ours().signal("STOP");
    }

    /** Lets a frozen server go on. */
    public void thaw() {
        ours().signal("CONT");
    }

    /** What the server has logged so far; empty if it is not at hand. */
    public String log() {
        return embedded == null ? "" : embedded.log();
    }

    /** Ends the server and removes what it left. */
    @Override
    public void close() {
        if (embedded != null) {
            embedded.watcher.close();
        }
    }

    private Embedded ours() {
        if (embedded == null) {
            throw new TestAbortedException("an external server is not ours to break");
        }
        return embedded;
    }

    /** The process of a server that is ours, and its files. */
    private static final class Embedded {

        private final int port;
        private final Path directory = ServerFiles.newDirectory("holdfast-mariadb-");
        private final Path log = directory.resolve("log");
        private final Path pidFile = directory.resolve("pid");
        private final DatabaseProgram program;
        private final List<String> options;
        private final CleanupProcess watcher;
        private volatile Process process;

        Embedded(DatabaseProgram program, List<String> options) throws IOException {
            this.program = program;
            this.options = options;
            watcher = CleanupProcess.killing(directory, pidFile);
            Files.createDirectory(directory.resolve("tmp"));
            program.makeData(directory, log);
            port = FreePort.find(); // last, as making the data directory may take long
        }

        void start() {
            try {
                List<String> all = new ArrayList<>(List.of(
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--socket=" + directory.resolve("socket"),
                        "--skip-name-resolve",
                        "--max-connections=200"));
                all.addAll(options);
                process = new ProcessBuilder(program.command(directory, all))
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(Redirect.appendTo(log.toFile()))
                        .redirectError(Redirect.appendTo(log.toFile()))
                        .start();
                Files.writeString(pidFile, process.pid() + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Another process may be given its id. */
        void forgetProcess() {
            try {
                Files.delete(pidFile);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void signal(String name) {
            try {
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .redirectError(Redirect.DISCARD)
                        .start()
                        .waitFor();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        String log() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Made when it is asked for first. */
    private static final class Started {
        private static final MariaDbServer SHARED = start();

        private static MariaDbServer start() {
            Optional<MariaDbServer> running = running();
            if (running.isPresent()) {
                return running.get();
            }
            return endingWithTheJvm(own());
        }
    }

    /** Made when it is asked for first. */
    private static final class StartedMySql {
        private static final MariaDbServer SHARED = endingWithTheJvm(ownMySql());
    }

    private static MariaDbServer endingWithTheJvm(MariaDbServer server) {
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "stop-mariadb"));
        return server;
    }
}
