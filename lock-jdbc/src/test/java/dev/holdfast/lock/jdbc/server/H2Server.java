package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.ServerFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** H2 as a server in a process of its own, with a database that writes each commit at once. */
public final class H2Server implements RowDatabase, AutoCloseable {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final Path directory = ServerFiles.newDirectory("holdfast-h2-");
    private final Path pidFile = directory.resolve("pid");
    private final int port = FreePort.find();
    private final String database = "test" + DATABASES.incrementAndGet() + ";WRITE_DELAY=0";
    private final CleanupProcess watcher;
    private volatile Process process;

    private H2Server() throws IOException {
        watcher = CleanupProcess.killing(directory, pidFile);
        start();
    }

    /** A server that is this test's to break. */
    public static H2Server own() {
        try {
            return new H2Server();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start H2", e);
        }
    }

    @Override
    public void start() {
        String jar = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> Path.of(entry).getFileName().toString().startsWith("h2-"))
                .findFirst()
                .orElseThrow();
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:-UsePerfData",
                            "-XX:+UseSerialGC",
                            "-cp",
                            jar,
                            "org.h2.tools.Server",
                            "-tcp",
                            "-tcpPort",
                            Integer.toString(port),
                            "-ifNotExists",
                            "-baseDir",
                            directory.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(directory.resolve("log").toFile()))
                    .start();
            Files.writeString(pidFile, process.pid() + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Await.until("the server answers", () -> {
            try (Connection connection = connect()) {
                return connection.isValid(5);
            } catch (SQLException e) {
                return false;
            }
        });
    }

    @Override
    public void kill() {
        process.destroyForcibly();
        Await.until("the server has ended", () -> !process.isAlive());
        try {
            Files.delete(pidFile); // another process may be given its id
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("lock.jdbc.url", urlThrough(port), "lock.jdbc.username", "sa");
    }

    @Override
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(urlThrough(port), "sa", "");
    }

    @Override
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public String urlThrough(int other) {
        return "jdbc:h2:tcp://127.0.0.1:" + other + "/./" + database;
    }

    @Override
    public void close() {
        watcher.close();
    }
}
