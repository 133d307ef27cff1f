package dev.holdfast.lock.composite;

import dev.holdfast.lock.redis.server.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The composite passes the kit while PostgreSQL grants: the Redis server may drop what it holds,
 * and so never comes to power. */
class FallbackContractTest extends CompositeContract {

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own("maxmemory 100mb", "maxmemory-policy allkeys-lru"));
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @Override
    Servers servers() {
        return servers;
    }
}
