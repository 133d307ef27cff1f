package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.embedded.core.ExecutableProvider;

/** A Redis server. */
public final class Redis {

    private static final String LOOPBACK = "127.0.0.1";
    private static final int HANG_SECONDS = 60;
    private static final List<String> DURABLE = List.of("appendonly yes", "appendfsync always");

    private final int port;
    private final Process process;

    private Redis(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    /** A server that follows nobody, and has every change on its disk before it answers. */
    public static Redis master(Workplace workplace) throws IOException {
        return start(workplace, "redis-master", DURABLE);
    }

    /** A server that follows the one at the end of this wire, has all of its data, and every change on its disk. */
    public static Redis replica(Workplace workplace, Wire toMaster) throws IOException {
        List<String> directives = new ArrayList<>(DURABLE);
        directives.add("replicaof " + LOOPBACK + " " + toMaster.port());
        Redis replica = start(workplace, "redis-replica", directives);
        replica.await("master_link_status:up");
        return replica;
    }

    /** A server that follows nobody, and writes nothing to a disk. */
    public static Redis inMemory(Workplace workplace) throws IOException {
        return start(workplace, "redis-in-memory", List.of("appendonly no"));
    }

    private static Redis start(Workplace workplace, String name, List<String> directives) throws IOException {
        Path directory = workplace.newDirectory(name);
        Path program = ExecutableProvider.newJarResourceProvider(directory.toFile())
                .get()
                .toPath();
        int port = FreePort.find();
        Path configuration = directory.resolve("redis.conf");
        Files.write(
                configuration,
                List.of(
                        "bind " + LOOPBACK,
                        "port " + port,
                        "save \"\"",
                        "repl-diskless-sync yes",
                        "repl-diskless-sync-delay 0"));
        Files.write(configuration, directives, StandardOpenOption.APPEND);
        Redis started =
                new Redis(port, workplace.start(directory, List.of(program.toString(), configuration.toString())));
        started.await("role:");
        return started;
    }

    /** Where it listens, on the loopback. */
    public int port() {
        return port;
    }

    /** Ends it as a crash would (SIGKILL), and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Makes a replica a master, with what it has heard of so far. */
    public void promote() {
        ask(Command.REPLICAOF, "NO", "ONE");
    }

    /** Forgets all keys, whosever they are. */
    public void clear() {
        ask(Command.FLUSHALL);
    }

    /** What it is, and how it keeps what it was told. */
    public String facts() {
        String version = ask(Command.INFO, "server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> line.substring(line.indexOf(':') + 1))
                .findFirst()
                .orElse("of an unknown version");
        return "Redis " + version + ", " + setting("appendonly") + ", " + setting("appendfsync") + ", "
                + setting("save");
    }

    private String setting(String name) {
        try (Jedis redis = new Jedis(LOOPBACK, port)) {
            return name + "=" + redis.configGet(name).get(name);
        }
    }

    private void await(String fact) {
        long start = System.nanoTime();
        while (!says(fact)) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(HANG_SECONDS) || !process.isAlive()) {
                throw new IllegalStateException("Redis on port " + port + " does not come to say " + fact);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private boolean says(String fact) {
        try {
            return ask(Command.INFO, "replication").contains(fact);
        } catch (JedisConnectionException | JedisDataException e) {
            return false; // it is not there yet, or reads its data
        }
    }

    private String ask(Command command, String... arguments) {
        try (Connection connection = new Connection(new HostAndPort(LOOPBACK, port))) {
            connection.sendCommand(command, arguments);
            Object answer = connection.getOne();
            return answer instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : String.valueOf(answer);
        }
    }
}
