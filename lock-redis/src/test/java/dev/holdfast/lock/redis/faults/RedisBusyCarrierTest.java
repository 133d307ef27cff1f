package dev.holdfast.lock.redis.faults;

import dev.holdfast.lock.contract.BusyCarrierContract;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.testserver.RedisServer;
import java.util.Properties;
import java.util.UUID;

/** Clients of Redis whose only carrier is busy. */
class RedisBusyCarrierTest extends BusyCarrierContract {

    private final String namespace = "busy-" + UUID.randomUUID();

    @Override
    protected Properties settings() {
        return TestStores.settings(RedisServer.shared().uri(), "lock.namespace", namespace);
    }
}
