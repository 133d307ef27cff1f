package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/**
 * The connections of one process, whosever they are: one for each thread, but no more than a server would be given. Whoever
 * finds none free waits for one.
 */
final class Pool {

    /** For descriptions of a configuration. */
    static final String STATED = "pool = threads, at most 64";

    private static final int LIMIT = 64;
    /** A limit for a hang: a server that stands still for a while is no error. */
    private static final int ANSWER_MILLIS = 60_000;
    /** A limit for a hang: a crowd that waits for a connection is no error. */
    private static final long WAIT_MINUTES = 10;

    private Pool() {}

    /** How many there are. */
    static int size(Place place) {
        return Math.min(place.threads(), LIMIT);
    }

    /** To Redis. */
    static RedisClient jedis(Place place) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(size(place));
        pool.setMaxIdle(size(place));
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", place.redisPort())
                .poolConfig(pool)
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(ANSWER_MILLIS)
                        .build())
                .build();
    }

    /** To PostgreSQL; what one statement does is a transaction. */
    static HikariDataSource sql(Place place) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(place.jdbcUrl());
        pool.setUsername(place.jdbcUsername());
        pool.setMaximumPoolSize(size(place));
        pool.setConnectionTimeout(TimeUnit.MINUTES.toMillis(WAIT_MINUTES));
        return new HikariDataSource(pool);
    }
}
