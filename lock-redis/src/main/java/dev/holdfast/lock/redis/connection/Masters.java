package dev.holdfast.lock.redis.connection;

import java.util.Set;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisSentinelClient;

/** The master of the moment. The client library listens to the sentinels; the connections to the master are our own. */
final class Masters implements AutoCloseable {

    private final RedisSentinelClient sentinels;
    private final OwnNodes nodes;
    private volatile HostAndPort latest;

    /** @throws redis.clients.jedis.exceptions.JedisException if no sentinel says which is the master */
    Masters(RedisUri uri, Access access) {
        sentinels = RedisSentinelClient.builder()
                .masterName(uri.master())
                .sentinels(uri.hosts())
                .clientConfig(access.ofServers(uri))
                .sentinelClientConfig(access.ofSentinels(uri))
                .build();
        nodes = new OwnNodes(Set.of(), access.ofServers(uri), access.poolSize());
        latest = address();
    }

    Node present() {
        HostAndPort present = address();
        if (!present.equals(latest)) {
            latest = present;
            nodes.retain(Set.of(present));
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
