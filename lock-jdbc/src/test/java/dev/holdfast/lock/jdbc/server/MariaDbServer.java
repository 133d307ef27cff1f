package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A MariaDB or MySQL for tests. It is a MariaDB from a Maven artifact for 64-bit Linux, unless {@code -Dlock.test.mariadb.program}
 * names another {@code mariadbd} or {@code mysqld}, or {@code mysql}: the MySQL of its artifact.
 *
 * <p>With {@code -Dlock.test.servers=containers} it is a container of the image {@code -Dlock.test.mariadb.image}, which may be one
 * of MySQL; where MySQL is asked for, of {@code -Dlock.test.mysql.image}.
 *
 * <p>{@code -Dlock.test.mariadb.host} makes {@link #shared()} and {@link #restartable()} a running server instead, of which
 * {@code .port}, {@code .username} and {@code .password} say the rest. A test that would kill it is aborted.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final String KEY = "lock.test.mariadb.";
    private static final String MYSQL_KEY = "lock.test.mysql.";
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final String host;
    private final int port;
    private final String username;
    private final String password;
    private final @Nullable DatabaseInstance instance;

    private MariaDbServer(
            String host, int port, String username, String password, @Nullable DatabaseInstance instance) {
        this.host = host;
        this.port = port;
        this.username = username;
        this.password = password;
        this.instance = instance;
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
        return start(KEY, "mariadb", "mariadb:11.4", List.of(options));
    }

    /**
     * A MySQL that is this test's to break: of the Maven artifact for 64-bit Linux, or the {@code mysqld} that
     * {@code -Dlock.test.mysql.program} names.
     */
    public static MariaDbServer ownMySql() {
        return start(MYSQL_KEY, "mysql", "mysql:8.0", List.of());
    }

    /** One MySQL for all tests of this JVM that do it no harm; it ends with the JVM. */
    public static MariaDbServer sharedMySql() {
        return StartedMySql.SHARED;
    }

    private static MariaDbServer start(String key, String program, String image, List<String> options) {
        try {
            DatabaseInstance instance = System.getProperty("lock.test.servers", "embedded")
                            .equals("containers")
                    ? DatabaseContainer.ofMariaDb(System.getProperty(key + "image", image), options)
                    : new DatabaseProcess(DatabaseProgram.named(System.getProperty(key + "program", program)), options);
            MariaDbServer server = new MariaDbServer(
                    "127.0.0.1", instance.port(), DatabaseProgram.USERNAME, DatabaseProgram.PASSWORD, instance);
            server.start();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the server", e);
        }
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
        if (instance instanceof DatabaseContainer) {
            throw new TestAbortedException("a container cannot reach another one by the port on the loopback");
        }
        execute("CHANGE MASTER TO MASTER_HOST = '" + source.host + "', MASTER_PORT = " + source.port
                + ", MASTER_USER = '" + source.username + "', MASTER_PASSWORD = '" + source.password
                + "', MASTER_SSL_VERIFY_SERVER_CERT = 0, MASTER_CONNECT_RETRY = 1");
        execute("START SLAVE");
    }

    /** Ends the server as a crash would (SIGKILL). */
    public void kill() {
        ours().kill();
    }

    /** Starts a killed server again, with its data and on its port, and waits until it answers. */
    public void start() {
        ours().start();
        Await.until("the server answers", () -> {
            if (!ours().isAlive()) {
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
        ours().freeze();
    }

    /** Lets a frozen server go on. */
    public void thaw() {
        ours().thaw();
    }

    /** What the server has logged so far; empty if it is not at hand. */
    public String log() {
        return instance == null ? "" : instance.log();
    }

    /** Ends the server and removes what it left. */
    @Override
    public void close() {
        if (instance != null) {
            instance.close();
        }
    }

    private DatabaseInstance ours() {
        if (instance == null) {
            throw new TestAbortedException("an external server is not ours to break");
        }
        return instance;
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
