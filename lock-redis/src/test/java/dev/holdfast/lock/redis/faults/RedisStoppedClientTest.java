package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.contract.StoppedClientContract;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** Clients of Redis that are stopped. */
@Tag("first-build")
class RedisStoppedClientTest extends StoppedClientContract {

    private final String namespace = "stopped-" + UUID.randomUUID();

    @Override
    protected Properties settings() {
        return TestStores.settings(RedisServer.shared().uri(), "lock.namespace", namespace);
    }
}
