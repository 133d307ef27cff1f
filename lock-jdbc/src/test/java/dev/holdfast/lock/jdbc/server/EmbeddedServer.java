package dev.holdfast.lock.jdbc.server;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A server from a Maven artifact. The artifact's own class unpacks it, makes the data directory and starts it for the first
 * time; killing, freezing and starting again is done here, by the processes themselves.
 */
final class EmbeddedServer implements PostgresServer {

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
    private static final String PASSWORD = "for tests";

    private final int port = FreePort.find();
    private final Path directory;
    private final Path data;
    private final Path log;
    private final List<String> command;
    private final Process watcher;

    EmbeddedServer() {
        try {
            directory = Files.createTempDirectory("holdfast-postgres-");
            data = directory.resolve("data");
            log = directory.resolve("log");
            watcher = watch();
            startFirst();
            command = command();
            insistOnPassword();
        } catch (IOException | SQLException e) {
            throw new IllegalStateException("cannot start PostgreSQL", e);
        }
    }

    @SuppressWarnings("resource") // closed by hand, as it is started again by hand
    private void startFirst() throws IOException {
        EmbeddedPostgres.builder()
                .setPort(port)
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(Duration.ofMinutes(2))
                .setRegisterShutdownHook(false)
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("log_min_messages", "warning")
                .setErrorRedirector(Redirect.appendTo(log.toFile()))
                .setOutputRedirector(Redirect.appendTo(log.toFile()))
                .start();
    }

    private void insistOnPassword() throws IOException, SQLException {
        try (Connection connection = DriverManager.getConnection(url("postgres"), username(), null);
                Statement statement = connection.createStatement()) {
            // Tests open many connections, of which each would compute 4,096 hashes, on either side.
            statement.execute("SET password_encryption = md5");
            statement.execute("ALTER SYSTEM SET password_encryption = md5");
            statement.execute("ALTER ROLE postgres PASSWORD '" + PASSWORD + "'");
            Files.writeString(data.resolve("pg_hba.conf"), "host all all 127.0.0.1/32 md5\n");
            statement.execute("ALTER SYSTEM SET log_line_prefix = '" + LINE_PREFIX + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /**
     * A process that outlives a killed JVM by a moment, whatever signals go to all processes of a terminal: it reads from the
     * JVM until there is none, and ends the server.
     */
    private Process watch() throws IOException {
        String script =
                "trap '' HUP INT TERM; cat > /dev/null; pid=$(head -n 1 '" + data + "/postmaster.pid' 2> /dev/null) && "
                        + "pkill -CONT -P \"$pid\"; kill -CONT \"$pid\" 2> /dev/null; kill -QUIT \"$pid\" 2> /dev/null; "
                        + "while kill -0 \"$pid\" 2> /dev/null; do sleep 0.1; done; rm -rf '" + directory + "'";
        return new ProcessBuilder("sh", "-c", script)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }

    /** How it was started, in the server's own words; root needs a user namespace, as the server refuses to run as root. */
    private List<String> command() throws IOException {
        List<String> words = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            words.addAll(List.of("unshare", "-U"));
        }
        Matcher word = WORD.matcher(Files.readString(data.resolve("postmaster.opts")));
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        return words;
    }

    @Override
    public String username() {
        return "postgres";
    }

    @Override
    public String password() {
        return PASSWORD;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        ProcessHandle server = process();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(server), server.descendants()).toList();
        signal("QUIT", List.of(server));
        Await.until("the server has ended", () -> all.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Override
    public void start() {
        try {
            new ProcessBuilder(command)
                    .redirectOutput(Redirect.appendTo(log.toFile()))
                    .redirectError(Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitAnswer();
    }

    @Override
    public void freeze() {
        ProcessHandle server = process();
        signal("STOP", List.of(server)); // first, so that it makes no more of them
        signal("STOP", server.descendants().toList());
    }

    @Override
    public void thaw() {
        ProcessHandle server = process();
        signal("CONT", server.descendants().toList());
        signal("CONT", List.of(server));
    }

    @Override
    public String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            watcher.getOutputStream().close();
            watcher.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ProcessHandle process() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(
                            Long.parseLong(lines.findFirst().orElseThrow().strip()))
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void signal(String signal, List<ProcessHandle> processes) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        processes.forEach(each -> command.add(Long.toString(each.pid())));
        try {
            new ProcessBuilder(command).redirectError(Redirect.DISCARD).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
