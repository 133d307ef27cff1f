package dev.holdfast.lock.bench.server;

import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The servers on which everything is measured.
 *
 * @param redis writes nothing to a disk
 * @param distantRedis the same Redis, a round trip of {@link #ROUND_TRIP} away
 * @param postgres has every commit on its disk before it replies
 * @param mariaDb likewise; null unless requested
 * @param logs the directory for the output of the measured processes
 */
public record BenchServers(
        RedisServer redis,
        FaultyProxy distantRedis,
        PostgresServer postgres,
        @Nullable MariaDbServer mariaDb,
        Path logs) {

    /** The time that data takes to a distant server and back, in addition to what the proxy itself takes. */
    public static final Duration ROUND_TRIP = Duration.ofNanos(500_000);

    /** The same in words. */
    public static final String ROUND_TRIP_TEXT = "0.5 ms";

    /** Connections per pool: a server serves a few at a time and accepts a few hundred. */
    private static final int MAX_CONNECTIONS = 64;

    /** @param withMariaDb whether there is a MariaDB, too */
    public static BenchServers start(Workspace workspace, boolean withMariaDb)
            throws IOException, InterruptedException {
        RedisServer redis = RedisServer.inMemory(workspace);
        return new BenchServers(
                redis,
                distant(redis.port()),
                PostgresServer.start(workspace),
                withMariaDb ? MariaDbServer.start(workspace) : null,
                workspace.newDirectory("candidates"));
    }

    private static FaultyProxy distant(int port) {
        FaultyProxy proxy = new FaultyProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        for (Direction direction : Direction.values()) {
            proxy.delay(direction, ROUND_TRIP.dividedBy(Direction.values().length));
        }
        return proxy;
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

    /**
     * The endpoints for a process with this many threads.
     *
     * @param isDistant whether Redis is a round trip of {@link #ROUND_TRIP} away
     */
    public Endpoints endpoints(int threads, boolean isDistant) {
        int port = isDistant ? distantRedis.port() : redis.port();
        return endpoints(port, postgres.url(), PostgresServer.USERNAME, threads);
    }

    /** The same with MariaDB as the SQL database. */
    public Endpoints endpointsOnMariaDb(int threads) {
        String url =
                Objects.requireNonNull(mariaDb, "MariaDB was not asked for").url();
        return endpoints(redis.port(), url, MariaDbServer.USERNAME, threads);
    }

    private static Endpoints endpoints(int redisPort, String jdbcUrl, String username, int threads) {
        return new Endpoints(redisPort, jdbcUrl, username, Math.min(threads, MAX_CONNECTIONS));
    }

    /** The endpoints, after all keys of earlier measurements were removed from Redis. */
    public Endpoints cleared() {
        redis.clear();
        return endpoints(MAX_CONNECTIONS, false);
    }
}
