package dev.holdfast.lock.redis.connection;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/** Servers to which the connections are our own: any address will do. */
final class OwnNodes implements Nodes {

    private final Set<HostAndPort> first;
    private final JedisClientConfig config;
    private final int size;
    private final Map<HostAndPort, OwnNode> nodes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param first those that are known from the beginning
     * @param size how many connections to each may be borrowed at a time
     */
    OwnNodes(Set<HostAndPort> first, JedisClientConfig config, int size) {
        this.first = first;
        this.config = config;
        this.size = size;
    }

    @Override
    public OwnNode at(HostAndPort address) {
        OwnNode node = nodes.computeIfAbsent(address, any -> new OwnNode(address, config, size));
        if (closed) {
            node.close();
        }
        return node;
    }

    @Override
    public Collection<HostAndPort> known() {
        Set<HostAndPort> known = new LinkedHashSet<>(nodes.keySet());
        known.addAll(first);
        return known;
    }

    @Override
    public void retain(Collection<HostAndPort> addresses) {
        nodes.values().removeIf(node -> {
            boolean isGone = !addresses.contains(node.address());
            if (isGone) {
                node.close();
            }
            return isGone;
        });
    }

    @Override
    public void close() {
        closed = true;
        nodes.values().forEach(OwnNode::close);
    }
}
