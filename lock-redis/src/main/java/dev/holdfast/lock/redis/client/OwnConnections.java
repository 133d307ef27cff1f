package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.Deadline;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/** Connections that this store opens itself, in one {@link DeadlinePool} for each server. */
final class OwnConnections implements ConnectionSource {

    private final Set<HostAndPort> seeds;
    private final JedisClientConfig config;
    private final int size;
    private final Map<HostAndPort, DeadlinePool> pools = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param seeds the servers that the settings name
     * @param size the maximum number of borrowed connections to each server
     */
    OwnConnections(Set<HostAndPort> seeds, JedisClientConfig config, int size) {
        this.seeds = seeds;
        this.config = config;
        this.size = size;
    }

    private DeadlinePool pool(HostAndPort server) {
        DeadlinePool pool = pools.computeIfAbsent(server, any -> new DeadlinePool(server, config, size));
        if (closed) {
            pool.close();
        }
        return pool;
    }

    @Override
    public BorrowedConnection borrow(HostAndPort server, Deadline deadline) {
        return pool(server).borrow(deadline);
    }

    @Override
    public BorrowedConnection openDedicated(HostAndPort server, Deadline deadline) {
        return pool(server).openDedicated(deadline);
    }

    @Override
    public boolean reachesReplicas() {
        return true;
    }

    @Override
    public Collection<HostAndPort> known() {
        Set<HostAndPort> known = new LinkedHashSet<>(pools.keySet());
        known.addAll(seeds);
        return known;
    }

    @Override
    public void retain(Collection<HostAndPort> servers) {
        pools.entrySet().removeIf(entry -> {
            boolean isGone = !servers.contains(entry.getKey());
            if (isGone) {
                entry.getValue().close();
            }
            return isGone;
        });
    }

    @Override
    public void close() {
        closed = true;
        pools.values().forEach(DeadlinePool::close);
    }
}
