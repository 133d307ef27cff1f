package dev.holdfast.lock.redis.connection;

import java.util.Collection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.ClusterConnectionProvider;

/** Servers to which the connections are the application's: those that its client knows. */
record CallersNodes(ClusterConnectionProvider client) implements Nodes {

    @Override
    public Node at(HostAndPort address) {
        ConnectionPool pool = client.getNodes().get(address.toString());
        if (pool == null) {
            throw new JedisConnectionException("the application's client does not know the node " + address + " yet");
        }
        return new CallersNode(address, pool);
    }

    @Override
    public Collection<HostAndPort> known() {
        return client.getNodes().keySet().stream().map(HostAndPort::from).toList();
    }

    /** Has the client look for itself. */
    @Override
    public void retain(Collection<HostAndPort> addresses) {
        if (!client.getNodes()
                .keySet()
                .containsAll(addresses.stream().map(HostAndPort::toString).toList())) {
            client.renewSlotCache();
        }
    }

    @Override
    public void close() {
        // they are the application's
    }
}
