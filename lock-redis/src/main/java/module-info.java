/** Locks in Redis or Valkey: standalone, Sentinel and Cluster. */
module dev.holdfast.lock.redis {
    requires transitive dev.holdfast.lock;
    requires transitive redis.clients.jedis;
    requires org.apache.commons.pool2;
    requires org.slf4j;
    requires static transitive org.jspecify;
}
