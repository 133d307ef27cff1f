package dev.holdfast.lock.bench.server;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The servers on which everything is measured.
 *
 * @param redis writes nothing to a disk
 * @param postgres has every commit on its disk before it replies
 * @param mariaDb likewise; null unless requested
 * @param logs the directory for the output of the measured processes
 */
public record BenchServers(
        RedisServer redis,
        PostgresServer postgres,
        @Nullable MariaDbServer mariaDb,
        Path logs) {

    /** Connections per pool: a server serves a few at a time and accepts a few hundred. */
    private static final int MAX_CONNECTIONS = 64;

    /** @param withMariaDb whether there is a MariaDB, too */
    public static BenchServers start(Workspace workspace, boolean withMariaDb)
            throws IOException, InterruptedException {
        return new BenchServers(
                RedisServer.inMemory(workspace),
                PostgresServer.start(workspace),
                withMariaDb ? MariaDbServer.start(workspace) : null,
                workspace.newDirectory("candidates"));
    }

    /** A description for the report. */
    public List<String> facts() throws SQLException {
        List<String> facts = new ArrayList<>(List.of(redis.facts(), postgres.facts()));
        if (mariaDb != null) {
            facts.add(mariaDb.facts());
        }
        facts.add("connection pools of one connection per thread, at most " + MAX_CONNECTIONS + " per process");
        return facts;
    }

    /** The endpoints for a process with this many threads. */
    public Endpoints endpoints(int threads) {
        return endpoints(postgres.url(), PostgresServer.USERNAME, threads);
    }

    /** The same with MariaDB as the SQL database. */
    public Endpoints endpointsOnMariaDb(int threads) {
        String url =
                Objects.requireNonNull(mariaDb, "MariaDB was not asked for").url();
        return endpoints(url, MariaDbServer.USERNAME, threads);
    }

    private Endpoints endpoints(String jdbcUrl, String username, int threads) {
        return new Endpoints(redis.port(), jdbcUrl, username, Math.min(threads, MAX_CONNECTIONS));
    }

    /** The endpoints, after all keys of earlier measurements were removed from Redis. */
    public Endpoints cleared() {
        redis.clear();
        return endpoints(MAX_CONNECTIONS);
    }
}
