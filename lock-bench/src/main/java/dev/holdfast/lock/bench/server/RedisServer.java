package dev.holdfast.lock.bench.server;

import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.tck.faults.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.embedded.core.ExecutableProvider;

/** A Redis server on a free port of the loopback address. It ends with its workspace. */
public final class RedisServer {

    private static final String HOST = "127.0.0.1";
    private static final Duration STARTUP_LIMIT = Duration.ofMinutes(1);
    private static final long POLL_NANOS = 10_000_000;
    /** A long time-out, as a busy machine may stand still for seconds. */
    private static final int CLIENT_TIMEOUT_MILLIS = 60_000;

    private static final List<String> DURABLE = List.of("appendonly yes", "appendfsync always");

    private final int port;
    private final Process process;

    private RedisServer(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    /** Starts a primary that has every change on its disk before it replies. */
    public static RedisServer primary(Workspace workspace) throws IOException {
        return start(workspace, "redis-primary", DURABLE);
    }

    /** Starts a durable replica of the primary behind this proxy and waits until it is in sync. */
    public static RedisServer replica(Workspace workspace, FaultyProxy toPrimary) throws IOException {
        List<String> directives = new ArrayList<>(DURABLE);
        directives.add("replicaof " + HOST + " " + toPrimary.port());
        RedisServer replica = start(workspace, "redis-replica", directives);
        replica.awaitReplicationInfo("master_link_status:up");
        return replica;
    }

    /** Starts a server that writes nothing to a disk. */
    public static RedisServer inMemory(Workspace workspace) throws IOException {
        return start(workspace, "redis-in-memory", List.of("appendonly no"));
    }

    private static RedisServer start(Workspace workspace, String name, List<String> directives) throws IOException {
        Path directory = workspace.newDirectory(name);
        Path program = ExecutableProvider.newJarResourceProvider(directory.toFile())
                .get()
                .toPath();
        int port = FreePort.find();
        List<String> lines = new ArrayList<>(directives);
        lines.addAll(List.of(
                "bind " + HOST, "port " + port, "save \"\"", "repl-diskless-sync yes", "repl-diskless-sync-delay 0"));
        Path configuration = Files.write(directory.resolve("redis.conf"), lines);
        Process process = workspace.start(directory, List.of(program.toString(), configuration.toString()));
        RedisServer server = new RedisServer(port, process);
        server.awaitReplicationInfo("role:");
        return server;
    }

    public int port() {
        return port;
    }

    /** A client of the server on a port. */
    public static Jedis client(int port) {
        return new Jedis(HOST, port, CLIENT_TIMEOUT_MILLIS);
    }

    /** The address of the server on a port. */
    public static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Ends the server as a crash does (SIGKILL) and waits until its process has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Makes a replica a primary, with the data it has received so far. */
    public void promote() {
        ask(Jedis::replicaofNoOne);
    }

    /** Removes all keys. */
    public void clear() {
        ask(Jedis::flushAll);
    }

    /** The version and the settings that durability depends on. */
    public String facts() {
        return "Redis " + ask(redis -> field(redis, "server", "redis_version:")) + ", " + setting("appendonly") + ", "
                + setting("appendfsync") + ", " + setting("save");
    }

    /** The processor time that the server of this connection has used, in seconds. */
    public static double cpuSeconds(Jedis redis) {
        return Double.parseDouble(field(redis, "cpu", "used_cpu_user:"))
                + Double.parseDouble(field(redis, "cpu", "used_cpu_sys:"));
    }

    private static String field(Jedis redis, String section, String prefix) {
        return redis.info(section)
                .lines()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .findFirst()
                .orElseThrow();
    }

    private String setting(String name) {
        return name + "=" + ask(redis -> redis.configGet(name).get(name));
    }

    private void awaitReplicationInfo(String text) {
        long start = System.nanoTime();
        while (!hasReplicationInfo(text)) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        "Redis on port " + port + " has ended with status " + process.exitValue());
            } else if (System.nanoTime() - start > STARTUP_LIMIT.toNanos()) {
                throw new IllegalStateException("Redis on port " + port + " did not get ready: no '" + text
                        + "' in INFO replication within " + STARTUP_LIMIT.toSeconds() + " s");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean hasReplicationInfo(String text) {
        try {
            return ask(redis -> redis.info("replication")).contains(text);
        } catch (JedisConnectionException | JedisDataException e) {
            return false; // it is starting or loading its data
        }
    }

    private <T> T ask(Function<Jedis, T> question) {
        try (Jedis redis = client(port)) {
            return question.apply(redis);
        }
    }
}
