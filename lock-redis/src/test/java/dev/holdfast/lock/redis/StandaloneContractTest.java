package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.testserver.ProxiedRedis;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.tck.BreakableConnection;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;

/** One Redis server passes the kit. */
@Tag("first-build")
@Order(1)
class StandaloneContractTest extends RedisContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.own();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected Set<RedisServer> masters() {
        return Set.of(server);
    }

    @Override
    protected Properties configuration() {
        return TestStores.settings(server.uri());
    }

    @Override
    protected BreakableConnection breakableConnection() {
        return ProxiedRedis.to(server, configuration());
    }

    @Override
    protected void restart() {
        if (!server.canFail()) {
            throw notPossible("this server is not ours to restart");
        }
        server.kill();
        server.start();
    }
}
