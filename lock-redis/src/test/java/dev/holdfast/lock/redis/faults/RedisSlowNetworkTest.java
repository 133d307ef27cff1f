package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.contract.SlowNetworkContract;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.LockStore;
import java.net.InetSocketAddress;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Redis, far away. */
class RedisSlowNetworkTest extends SlowNetworkContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.own();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    protected InetSocketAddress server() {
        return server.address();
    }

    @Override
    protected Properties configuration(int port) {
        return TestStores.settings("redis://127.0.0.1:" + port);
    }

    @Override
    protected LockStore open(Properties configuration) {
        return TestStores.store(configuration.getProperty("lock.redis.uri"));
    }
}
