package dev.holdfast.lock.redis.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisSentinelClient;

/** The master of the moment. The client library listens to the sentinels; the connections to the master are our own. */
final class Masters implements AutoCloseable {

    private final RedisSentinelClient sentinels;
    private final OwnNodes nodes;
    private final ReentrantLock switching = new ReentrantLock();
    private volatile HostAndPort latest;

    /** @throws redis.clients.jedis.exceptions.JedisException if no sentinel says which is the master */
    Masters(RedisUri uri, Access access) {
        sentinels = RedisSentinelClient.builder()
                .masterName(uri.master())
                .sentinels(uri.hosts())
                .clientConfig(access.ofServers(uri))
                .sentinelClientConfig(access.ofSentinels(uri))
                .poolConfig(unused())
                .build();
        nodes = new OwnNodes(Set.of(), access.ofServers(uri), access.poolSize());
        latest = address();
    }

    /** It comes with a pool that nobody takes anything from; no thread is to look after it. */
    private static ConnectionPoolConfig unused() {
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        return pool;
    }

    Node present() {
        HostAndPort present = address();
        if (!present.equals(latest)) {
            switching.lock();
            try {
                present = address();
                nodes.retain(Set.of(present));
                latest = present;
            } finally {
                switching.unlock();
            }
        }
        return nodes.at(present);
    }

    private HostAndPort address() {
        return (HostAndPort)
                sentinels.getPrimaryNodesConnectionMap().keySet().iterator().next();
    }

    @Override
    public void close() {
        nodes.close();
        sentinels.close();
    }
}
