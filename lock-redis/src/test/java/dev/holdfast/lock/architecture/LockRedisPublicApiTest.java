package dev.holdfast.lock.architecture;

import dev.holdfast.lock.redis.RedisLockStore;
import java.nio.file.Path;

/** Of lock-redis. */
class LockRedisPublicApiTest extends PublicApiRules {

    LockRedisPublicApiTest() {
        super(RedisLockStore.class, Path.of(""));
    }
}
