package dev.holdfast.lock.bench.peer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.bench.server.Endpoints;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;

/** The connections of one process. The limits end a hang: a slow server or a crowd that waits for a connection is not an error. */
final class ConnectionPools {

    private static final int REPLY_MILLIS = 60_000;
    private static final long CONNECTION_MINUTES = 10;

    private ConnectionPools() {}

    static RedisClient jedis(Endpoints endpoints) {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(endpoints.connections());
        pool.setMaxIdle(endpoints.connections());
        return RedisClient.builder()
                .hostAndPort("127.0.0.1", endpoints.redisPort())
                .poolConfig(pool)
                .clientConfig(DefaultJedisClientConfig.builder()
                        .timeoutMillis(REPLY_MILLIS)
                        .build())
                .build();
    }

    /** Spring Data's access to Redis: all threads share one connection of Lettuce. */
    static LettuceConnectionFactory lettuce(Endpoints endpoints) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", endpoints.redisPort()));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }

    static HikariDataSource database(Endpoints endpoints) {
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(endpoints.jdbcUrl());
        pool.setUsername(endpoints.jdbcUsername());
        pool.setMaximumPoolSize(endpoints.connections());
        pool.setConnectionTimeout(TimeUnit.MINUTES.toMillis(CONNECTION_MINUTES));
        return new HikariDataSource(pool);
    }
}
