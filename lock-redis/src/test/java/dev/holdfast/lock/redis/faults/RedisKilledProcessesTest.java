package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.contract.KilledProcessesContract;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** Killed and stopped processes on Redis; in each build as the primary of a composite. */
@Tag("long")
class RedisKilledProcessesTest extends KilledProcessesContract {

    private final String namespace = "killed-" + UUID.randomUUID();

    @Override
    protected Properties settings() {
        return TestStores.settings(RedisServer.shared().uri(), "lock.namespace", namespace);
    }
}
