package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.contract.FilledPoolContract;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;

/** A filled pool of connections to Redis. */
@Tag("first-build")
class RedisFilledPoolTest extends FilledPoolContract {

    private static final int SIZE = 4;

    private RedisClient client;

    @Override
    protected LockStore store() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(SIZE);
        client = RedisClient.builder()
                .hostAndPort("127.0.0.1", RedisServer.shared().port())
                .poolConfig(pool)
                .clientConfig(RedisServer.shared().clientConfig())
                .build();
        return TestStores.on(client, new Namespace("filled-" + UUID.randomUUID()));
    }

    @Override
    protected AutoCloseable fill() {
        List<Connection> connections =
                Stream.generate(client.getPool()::getResource).limit(SIZE).toList();
        return () -> connections.forEach(Connection::close);
    }

    @AfterEach
    void close() {
        client.close();
    }
}
