package dev.holdfast.lock.redis.testserver;

import dev.holdfast.lock.tck.faults.FreePort;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;
import redis.clients.jedis.JedisClientConfig;

/** A server whose program comes from a Maven artifact, as a process that can be killed and frozen. */
final class EmbeddedServer implements RedisServer {

    private static final String CONFIGURATION = "redis.conf";

    /** How often another process may take the port between the check and the start. */
    private static final int ATTEMPTS = 5;

    private int port;
    private final Directives directives;
    private final List<String> arguments;
    private final Path directory;
    private Process process;
    private boolean frozen;

    /** A server on a free port. */
    EmbeddedServer(Directives directives) {
        this(directives, List.of(CONFIGURATION));
    }

    private EmbeddedServer(Directives directives, List<String> arguments) {
        this.directives = directives;
        this.arguments = arguments;
        try {
            directory = ServerProcesses.OF_THIS_JVM.newServer();
            startSomewhere();
        } catch (IOException e) {
            throw new IllegalStateException("cannot start Redis", e);
        }
    }

    private void startSomewhere() throws IOException {
        for (int attempt = 1; ; attempt++) {
            port = FreePort.find();
            Files.write(
                    directory.resolve(CONFIGURATION),
                    directives.and("bind 127.0.0.1").on(port).lines());
            process = ServerProcesses.OF_THIS_JVM.start(directory, arguments);
            if (isUp()) {
                return;
            }
            String log = log();
            if (!log.contains("Address already in use") || attempt == ATTEMPTS) {
                close();
                throw new IllegalStateException("the server has ended: " + log);
            }
            Files.delete(directory.resolve("log"));
        }
    }

    /** A process that watches over other servers. */
    static EmbeddedServer sentinel(Directives directives) {
        return new EmbeddedServer(directives, List.of(CONFIGURATION, "--sentinel"));
    }

    /** Several processes that work together are only to be had with the kind {@code embedded}. */
    static void require() {
        if (!System.getProperty("lock.test.servers", "embedded").equals("embedded")) {
            throw new TestAbortedException("only embedded servers can be made to work together");
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String uri() {
        return directives.uri(port);
    }

    @Override
    public JedisClientConfig clientConfig() {
        return directives.clientConfig();
    }

    /** The process, also when it has ended. */
    ProcessHandle process() {
        return process.toHandle();
    }

    /** Whether it can answer. */
    boolean isRunning() {
        return process.isAlive() && !frozen;
    }

    @Override
    public boolean canFail() {
        return true;
    }

    @Override
    public void kill() {
        process.destroyForcibly();
        frozen = false;
        Await.until("the server has ended", () -> !process.isAlive());
        try {
            Files.deleteIfExists(directory.resolve("pid"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void start() {
        if (process.isAlive()) {
            throw new IllegalStateException("the server is running");
        }
        try {
            process = ServerProcesses.OF_THIS_JVM.start(directory, arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!isUp()) {
            throw new IllegalStateException("the server has ended: " + log());
        }
    }

    @Override
    public void wipe() {
        kill();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                if (!file.endsWith(CONFIGURATION) && !file.endsWith("log")) {
                    ServerProcesses.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start();
    }

    @Override
    public void freeze() {
        frozen = true;
        Signals.send("STOP", process());
        Await.until("the server stands still", () -> state().startsWith("T"));
    }

    @Override
    public void thaw() {
        Signals.send("CONT", process());
        frozen = false;
    }

    @Override
    public String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        if (Files.exists(directory)) {
            ServerProcesses.delete(directory);
        }
    }

    /** Waits until it answers, or has ended; whichever it is. */
    private boolean isUp() {
        try {
            Await.until("the server answers", () -> !process.isAlive() || Awaiting.answers(this, process.pid()));
            return process.isAlive();
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    private String state() {
        return run("ps", "-o", "state=", "-p", Long.toString(process.pid())).strip();
    }

    private static String run(String... command) {
        try {
            Process run =
                    new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
            String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (run.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed");
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
