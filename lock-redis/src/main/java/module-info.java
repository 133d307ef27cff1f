import dev.holdfast.lock.redis.RedisLockProvider;
import dev.holdfast.lock.spi.LockProvider;

/** Locks in Redis or Valkey: standalone, Sentinel and Cluster. */
module dev.holdfast.lock.redis {
    requires transitive dev.holdfast.lock;
    requires transitive redis.clients.jedis;
    requires org.apache.commons.pool2;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports dev.holdfast.lock.redis;

    provides LockProvider with
            RedisLockProvider;
}
