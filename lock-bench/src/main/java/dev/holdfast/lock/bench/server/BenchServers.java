package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/**
 * The servers on which everything is measured.
 *
 * @param redis writes nothing to a disk
 * @param postgres has every commit on its disk before it replies
 * @param logs the directory for what the measured processes print
 */
public record BenchServers(RedisServer redis, PostgresServer postgres, Path logs) {

    /** Per pool: a server serves a few connections at a time and accepts a few hundred. */
    private static final int MAX_CONNECTIONS = 64;

    public static BenchServers start(Workspace workspace) throws IOException {
        return new BenchServers(
                RedisServer.inMemory(workspace), PostgresServer.start(workspace), workspace.newDirectory("candidates"));
    }

    /** A description for the report. */
    public List<String> facts() throws SQLException {
        return List.of(
                redis.facts(),
                postgres.facts(),
                "connection pools of one connection per thread, at most " + MAX_CONNECTIONS + " per process");
    }

    /** The endpoints for a process with this many threads. */
    public Endpoints endpoints(int threads) {
        return new Endpoints(redis.port(), postgres.url(), PostgresServer.USERNAME, Math.min(threads, MAX_CONNECTIONS));
    }

    /** The endpoints, after all keys of earlier measurements were removed from Redis. */
    public Endpoints cleared() {
        redis.clear();
        return endpoints(MAX_CONNECTIONS);
    }
}
