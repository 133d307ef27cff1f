package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.redis.server.RedisWay;
import dev.holdfast.lock.tck.BreakableConnection;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One Redis server passes the kit. */
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
        return configuration(server.uri());
    }

    @Override
    protected BreakableConnection breakableConnection() {
        return RedisWay.to(server, configuration());
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
