package dev.holdfast.lock.composite;

import dev.holdfast.lock.redis.testserver.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The composite passes the kit while PostgreSQL grants, as it does some of the time in {@link FailoverContractTest}: the Redis
 * server may drop what it holds, and so never comes to power.
 */
@Tag("long")
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
