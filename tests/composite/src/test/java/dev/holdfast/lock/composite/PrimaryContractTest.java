package dev.holdfast.lock.composite;

import dev.holdfast.lock.redis.testserver.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The composite passes the kit while Redis grants, as it does most of the time in {@link FailoverContractTest}. */
@Tag("long")
class PrimaryContractTest extends CompositeContract {

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = new Servers(RedisServer.own());
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
