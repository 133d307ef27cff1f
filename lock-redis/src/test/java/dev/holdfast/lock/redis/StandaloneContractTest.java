package dev.holdfast.lock.redis;

import dev.holdfast.lock.redis.server.RedisServer;
import dev.holdfast.lock.tck.BreakableWay;
import dev.holdfast.lock.tck.faults.FaultyProxy;
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
    protected BreakableWay breakableWay() {
        FaultyProxy proxy = new FaultyProxy(server.address());
        return BreakableWay.through(proxy, configuration("redis://127.0.0.1:" + proxy.port()));
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
